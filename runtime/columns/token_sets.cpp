#include "runtime/columns/token_sets.hpp"

#include <algorithm>

namespace logdepth { inline namespace runtime_columns {
namespace {

constexpr Label kNoToken = static_cast<Label>(-1);
constexpr std::size_t kBesideGroup = 16;  // bytes that the system keeps of an array
/// Counts that are always worth their memory; beyond them so many per token.
constexpr std::size_t kFewCounts = std::size_t{1} << 16, kCountsOfToken = 64;

}  // namespace

void RankedCells::hold(ColumnState& state) {
  std::size_t bytes = 0;
  for (const auto& groups : ranks) {
    bytes += sizeof(groups) + groups.size() * (sizeof(Group) + kBesideGroup);
    for (const Group& group : groups) bytes += group.size() * sizeof(Label);
  }
  held = HeldBytes(state.passes.memory(), bytes);
}

Column RankedCells::row_column() const {
  return numbered(row, ranks.size());
}
Column RankedCells::cell_column() const {
  return numbered(cell, cells);
}

RankedCells all_cells() {
  return {nullptr, nullptr, 1, {{{0}}}};
}

CellCounts::CellCounts(ColumnState& state, const RankedCells& cells, const SharedLabels& kind,
                       std::size_t kinds)
    : cells_(cells), kinds_(kinds) {
  const std::size_t most = std::max(kFewCounts, kCountsOfToken * state.tokens());
  if (cells.cells > most / kinds || cells.cells * kinds > most / state.words())
    throw HandOver("too many classes of keys and values");
  const std::size_t size = state.words() * cells.cells * kinds;
  held_ = HeldBytes(state.passes.memory(), size * sizeof(std::uint32_t));
  counts_.resize(size);
  state.passes.count_pass();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      ++counts_[(i / state.period * cells.cells + cells.cell_at(i)) * kinds +
                (kind ? (*kind)[i] : 0)];
  });
}

bool CellCounts::occurs(std::size_t word, Label cell) const {
  const auto first =
      counts_.begin() + static_cast<std::ptrdiff_t>((word * cells_.cells + cell) * kinds_);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(kinds_),
                     [](std::uint32_t count) { return count > 0; });
}

const RankedCells::Group& CellCounts::selected(std::size_t word, Label row) const {
  for (const RankedCells::Group& group : cells_.ranks[row])
    if (std::ranges::any_of(group, [&](Label cell) { return occurs(word, cell); })) return group;
  throw HandOver("a row whose best keys are not proved");
}

std::uint64_t CellCounts::size(std::size_t word, const RankedCells::Group& group) const {
  std::uint64_t total = 0;
  for (const Label cell : group)
    for (std::size_t kind = 0; kind < kinds_; ++kind) total += of(word, cell, kind);
  return total;
}

bool same_selection(ColumnState& state, const RankedCells& a, const RankedCells& b) {
  const Column row_a = a.row_column(), row_b = b.row_column();
  const Column cell_a = a.cell_column(), cell_b = b.cell_column();
  const Combinations rows = state.passes.combine({&row_a, &row_b}, state.tokens());
  if (a.cell == b.cell && a.cells == b.cells) {
    const CellCounts of_a(state, a), of_b(state, b);
    bool same = true;
    over_row_classes(state, rows.local, rows.entries.size(),
                     [&](std::size_t word, Label row, std::size_t) {
                       same = same && of_a.selected(word, rows.entries[row][0]) ==
                                          of_b.selected(word, rows.entries[row][1]);
                     });
    if (same) return true;
  }
  const Combinations cells = state.passes.combine({&cell_a, &cell_b}, state.tokens());
  RankedCells both{rows.local, cells.local, cells.entries.size(), {}};
  const CellCounts of_a(state, a), of_b(state, b), of_both(state, both);
  std::vector<std::vector<Label>> with(a.cells);  // per cell of a: the joint cells in it
  for (Label c = 0; c < cells.entries.size(); ++c) with[cells.entries[c][0]].push_back(c);
  std::vector<char> wanted(b.cells);
  bool same = true;
  over_row_classes(state, rows.local, rows.entries.size(),
                   [&](std::size_t word, Label row, std::size_t) {
                     const auto& x = of_a.selected(word, rows.entries[row][0]);
                     const auto& y = of_b.selected(word, rows.entries[row][1]);
                     for (const Label cell : y) wanted[cell] = 1;
                     std::uint64_t common = 0;
                     for (const Label cell : x)
                       for (const Label joint : with[cell])
                         if (wanted[cells.entries[joint][1]]) common += of_both.of(word, joint);
                     for (const Label cell : y) wanted[cell] = 0;
                     same = same && common == of_a.size(word, x) && common == of_b.size(word, y);
                   });
  return same;
}

SharedLabels single_tokens(ColumnState& state, const RankedCells& cells) {
  const CellCounts counts(state, cells);
  bool single = true;  // every class is asked, so that each is proved
  over_row_classes(state, cells.row, cells.ranks.size(),
                   [&](std::size_t word, Label row, std::size_t) {
                     single = counts.size(word, counts.selected(word, row)) == 1 && single;
                   });
  if (!single) return nullptr;
  std::vector<Label> of_cell(state.words() * cells.cells, kNoToken);
  for (std::size_t i = 0; i < state.tokens(); ++i)
    of_cell[i / state.period * cells.cells + cells.cell_at(i)] = static_cast<Label>(i);
  const auto selected = state.passes.labels();
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    const std::size_t word = i / state.period;
    for (const Label cell : counts.selected(word, cells.row_at(i)))
      if (counts.of(word, cell) == 1) selected->data()[i] = of_cell[word * cells.cells + cell];
  }
  return selected;
}

SharedLabels seen_single_tokens(ColumnState& state, const RankedCells& cells) {
  std::vector<Label> first(cells.cells, kNoToken), second = first;
  const auto selected = state.passes.labels();
  bool single = true;
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    const std::size_t word = i - i % state.period;
    const Label cell = cells.cell_at(i);
    if (first[cell] == kNoToken || first[cell] < word) {
      first[cell] = static_cast<Label>(i);
      second[cell] = kNoToken;
    } else if (second[cell] == kNoToken) {
      second[cell] = static_cast<Label>(i);
    }
    const auto& ranks = cells.ranks[cells.row_at(i)];
    if (ranks.size() != 1 || ranks[0].size() != 1 || first[ranks[0][0]] == kNoToken ||
        first[ranks[0][0]] < word)
      throw HandOver("a row whose best keys are not proved");
    single = single && second[ranks[0][0]] == kNoToken;
    selected->data()[i] = first[ranks[0][0]];
  }
  return single ? selected : nullptr;
}

}}  // namespace logdepth::runtime_columns
