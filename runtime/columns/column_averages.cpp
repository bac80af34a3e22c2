#include "runtime/columns/column_averages.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

Columns number_columns(const AddedColumns& added) {
  Columns read;
  for (const auto& [segment, column] : added) {
    if (column.index) throw HandOver("an average of codes");
    read.push_back(&column);
  }
  return read;
}

/// How many of every combination of values there are, up to a factor: numbered as they are first asked for.
class Shares {
 public:
  using Counts = std::vector<std::uint32_t>;

  Label number(Counts counts) {
    std::uint32_t content = 0;
    for (const std::uint32_t count : counts) content = std::gcd(content, count);
    for (std::uint32_t& count : counts) count /= content;
    const auto [entry, fresh] = known_.try_emplace(counts, static_cast<Label>(distinct_.size()));
    if (fresh) distinct_.push_back(&entry->first);
    return entry->second;
  }
  std::size_t size() const { return distinct_.size(); }
  /// Their averages of the values of one of the columns that the head adds, whose combinations these are.
  std::vector<EntryId> averages(ColumnState& state, const Combinations& values, std::size_t added,
                                std::uint32_t segment) const {
    EntryPool& pool = state.pools.entries[segment];
    std::vector<EntryId> entries;
    for (const Counts* shares : distinct_) {
      ColumnEntry entry{Reals(state.pools.length(segment)), {}};
      const std::int64_t all = std::accumulate(shares->begin(), shares->end(), std::int64_t{0});
      for (std::size_t c = 0; c < shares->size(); ++c)
        if ((*shares)[c] != 0)
          add_multiple(entry.v, 0, pool[values.entries[c][added]].v, 0, entry.v.size(),
                       Rational((*shares)[c], all));
      entries.push_back(pool.intern(std::move(entry)));
    }
    return entries;
  }

 private:
  std::map<Counts, Label> known_;
  std::vector<const Counts*> distinct_;
};

}  // namespace

void average_sets(ColumnState& state, AddedColumns& added, const TokenSets& sets) {
  const Combinations joint = state.passes.combine(number_columns(added));
  if (!joint.local) return;  // all values are one
  const std::size_t classes = joint.entries.size();
  std::vector<std::vector<std::uint64_t>> of_class(classes);
  for (auto& set : of_class) set.resize(sets.words());
  for (std::size_t j = 0; j < state.tokens(); ++j) insert(of_class[joint.at(j)].data(), j);
  const auto local = state.passes.labels();
  Shares shares;
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    auto left = static_cast<std::uint32_t>(size_of(sets.row(i)));
    Shares::Counts counts(classes);
    for (std::size_t c = 0; c < classes && left > 0; ++c) {
      for (std::size_t w = 0; w < sets.words(); ++w)
        counts[c] += static_cast<std::uint32_t>(std::popcount(sets.row(i)[w] & of_class[c][w]));
      left -= counts[c];
    }
    local->data()[i] = shares.number(std::move(counts));
  }
  for (std::size_t a = 0; a < added.size(); ++a)
    added[a].second = {shares.size() > 1 ? local : nullptr,
                       shares.averages(state, joint, a, added[a].first), nullptr};
}

void average_cells(ColumnState& state, AddedColumns& added, const RankedCells& cells) {
  const Combinations joint = state.passes.combine(number_columns(added));
  if (!joint.local) return;  // all values are one
  const std::size_t kinds = joint.entries.size();
  const CellCounts counts(state, cells, joint.local, kinds);
  const Column words = word_column(state), of_rows = cells.row_column();
  const Combinations rows = state.passes.combine({&words, &of_rows});
  std::vector<char> occurs(rows.entries.size());
  for (std::size_t i = 0; i < state.tokens(); ++i) occurs[rows.at(i)] = 1;
  Shares shares;
  std::vector<Label> share_of;
  for (std::size_t r = 0; r < rows.entries.size(); ++r) {
    Label& share = share_of.emplace_back(0);
    if (!occurs[r]) continue;
    const std::size_t word = rows.entries[r][0];
    Shares::Counts of_kind(kinds);
    for (const Label cell : counts.selected(word, rows.entries[r][1]))
      for (std::size_t kind = 0; kind < kinds; ++kind) of_kind[kind] += counts.of(word, cell, kind);
    share = shares.number(std::move(of_kind));
  }
  for (std::size_t a = 0; a < added.size(); ++a) {
    const std::vector<EntryId> averages = shares.averages(state, joint, a, added[a].first);
    std::vector<EntryId> entries;
    for (const Label share : share_of) entries.push_back(averages[share]);
    added[a].second = state.passes.relabel(rows, entries, std::vector<SharedIndex>(entries.size()));
  }
}

void ColumnAverages::average(ColumnState& state, AddedColumns& added,
                             const std::vector<SharedLabels>& sources, const RankedCells* cells) {
  const Columns read = number_columns(added);
  std::vector<SharedLabels> name;
  for (const Column* column : read)
    if (column->local && std::ranges::find(name, column->local) == name.end())
      name.push_back(column->local);
  if (name.empty()) return;  // all values are one
  const Combinations joint = state.passes.combine(read);
  SharedLabels asked;  // the cell that a row selects
  if (cells) {
    std::vector<Label> cell_of;
    for (const auto& ranks : cells->ranks)  // of rows that occur there is one
      cell_of.push_back(ranks.empty() || ranks[0].empty() ? 0 : ranks[0][0]);
    if (cells->row) {
      asked = state.passes.renamed(cells->row, cell_of);
    } else if (cell_of[0] != 0) {
      const auto labels = state.passes.labels();
      std::fill_n(labels->data(), state.tokens(), cell_of[0]);
      asked = labels;
    }
    name.insert(name.end(), {nullptr, cells->cell, asked});
  }
  auto& known = known_[name];
  const auto dims = static_cast<std::uint32_t>(joint.entries.size());
  if (!known.index) {
    auto family = std::make_shared<ColumnFamily>(ColumnFamily::Kind::average);
    family->dims = dims;
    family->column = joint.local;
    if (cells) {
      family->cell = cells->cell;
      family->asked = asked;
    }
    family->low.assign(dims, Rational(0));
    family->high.assign(dims, Rational(1));
    known = {joint.local, std::make_shared<ColumnIndex>(ColumnIndex{family, nullptr}), sources};
  }
  if (known.joint != joint.local || known.index->family->dims != dims)
    throw HandOver("two numberings of one average");
  for (std::size_t a = 0; a < added.size(); ++a) {
    auto& [segment, column] = added[a];
    if (!column.local) continue;
    const std::size_t length = state.pools.length(segment);
    ColumnEntry entry{Reals(length), Reals(length * dims)};
    for (std::uint32_t d = 0; d < dims; ++d) {
      const Reals& value = state.pools.entries[segment][joint.entries[d][a]].v;
      for (std::size_t r = 0; r < length; ++r) entry.m[r * dims + d] = value[r];
    }
    column = {nullptr, {state.pools.entries[segment].intern(std::move(entry))}, known.index};
  }
}

void ColumnAverages::forget_dead() {
  std::erase_if(known_, [](const auto& of) { return of.second.index.use_count() == 1; });
}

}  // namespace logdepth::inline runtime_columns
