#include <algorithm>
#include <map>
#include <numeric>
#include <variant>

#include "base/overload.hpp"
#include "runtime/columns/column_contract.hpp"
#include "runtime/columns/hand_over.hpp"

namespace logdepth::inline runtime_columns {
namespace {

constexpr Label kNoKey = static_cast<Label>(-1);

void require_cells(bool kept) {
  if (!kept) throw HandOver("a selection contract that is not proved");
}

/// Keys of two rows, as a column of numbers: equal numbers mean equal keys.
void add_keys(const RowPair& rows, std::vector<Column>& numbers) {
  Column images{rows.key.at.local, std::vector<EntryId>(rows.key.images.size()), nullptr};
  std::iota(images.dictionary.begin(), images.dictionary.end(), EntryId{0});
  numbers.push_back(std::move(images));
  const auto has_index = [](const ColumnImage& image) { return image.index != nullptr; };
  if (std::ranges::none_of(rows.key.images, has_index)) return;
  // Of one image, vectors M code are equal if their directions are: they have one length.
  if (!rows.key_plane) throw HandOver("keys that are not told apart");
  for (std::size_t c = 0; c < rows.key.images.size(); ++c)
    if (rows.key_plane->occurs[c] && rows.key_plane->squares[c].is_zero())
      throw HandOver("keys of several lengths");
  numbers.push_back(rows.key_plane->directions);
}

Columns pointers_to(const std::vector<Column>& columns) {
  Columns result;
  for (const Column& column : columns) result.push_back(&column);
  return result;
}

/// Keys of the query's directions in all planes; of these the ones of the largest preference.
RankedCells cells_found(ColumnState& state, std::uint32_t terms,
                        const std::vector<Column>& of_query, const std::vector<Column>& of_key,
                        const Reals& preferences) {
  const Combinations queries = state.passes.combine(pointers_to(of_query), state.tokens());
  const Combinations keys = state.passes.combine(pointers_to(of_key), state.tokens());
  std::map<std::vector<EntryId>, std::vector<Label>> cells;
  for (Label cell = 0; cell < keys.entries.size(); ++cell) {
    const auto& entries = keys.entries[cell];
    cells[{entries.begin(), entries.begin() + terms}].push_back(cell);
  }
  RankedCells result{queries.local, keys.local, keys.entries.size(), {}};
  for (const auto& query : queries.entries) {
    auto& ranks = result.ranks.emplace_back();
    const auto found = cells.find(query);
    if (found == cells.end()) continue;
    std::vector<Label> sorted = found->second;
    const auto preference = [&](Label cell) -> const Real& {
      return preferences[keys.entries[cell].back()];
    };
    if (!preferences.empty())
      std::ranges::stable_sort(sorted,
                               [&](Label x, Label y) { return preference(y) < preference(x); });
    for (const Label cell : sorted) {
      if (ranks.empty() || (!preferences.empty() && preference(cell) < preference(ranks.back()[0])))
        ranks.emplace_back();
      ranks.back().push_back(cell);
    }
  }
  result.hold(state);
  return result;
}

}  // namespace

/// What a head with this contract has to select, from its queries and keys alone: keys of the query's
/// directions in the first `terms` planes, and with `prefer` of these the ones whose next component is largest.
KnownCells::Cells ColumnContracts::found_cells(const FindContract& find,
                                               std::span<const RowPair> rows) {
  std::vector<Column> of_query, of_key;
  if (rows.size() < find.terms + (find.prefer ? 1 : 0)) throw HandOver("a contract of few rows");
  for (std::uint32_t t = 0; t < find.terms; ++t) {
    if (!rows[t].query_plane || !rows[t].key_plane)
      throw HandOver("a contract of vectors that have no directions");
    of_query.push_back(rows[t].query_plane->directions);
    of_key.push_back(rows[t].key_plane->directions);
  }
  Reals preferences;
  if (find.prefer) {
    const ColumnImages& next = rows[find.terms].key;
    Column& column = of_key.emplace_back(Column{next.at.local, {}, nullptr});
    for (const ColumnImage& image : next.images) {
      if (image.index) throw HandOver("a preference that depends on a code");
      column.dictionary.push_back(static_cast<EntryId>(preferences.size()));
      preferences.push_back(image.v[0]);
    }
  }
  const auto all = [&] { return cells_found(state_, find.terms, of_query, of_key, preferences); };
  if (find.prefer) return std::make_shared<const RankedCells>(all());
  std::vector<Column> named = of_query;
  named.insert(named.end(), of_key.begin(), of_key.end());
  return known_.of(1, pointers_to(named), all);
}

/// A match: one token at every row, or tokens that share one key.
void ColumnContracts::check_match(const MatchContract& match, const RankedCells& cells, bool causal,
                                  const ReadRows& rows) {
  if (match.exactly_one) {
    if (causal) throw HandOver("a contract of cells that a row sees in part");
    const CellCounts counts(state_, cells);
    over_row_classes(state_, cells.row, cells.ranks.size(),
                     [&](std::size_t word, Label row, std::size_t) {
                       require_cells(counts.size(word, counts.selected(word, row)) == 1);
                     });
    return;
  }
  std::vector<Column> numbers;
  for (const RowPair& pair : rows()) add_keys(pair, numbers);
  const Combinations keys = state_.passes.combine(pointers_to(numbers), state_.tokens());
  std::vector<Label> key_of(cells.cells, kNoKey);
  for (std::size_t i = 0; i < state_.tokens(); ++i) {
    Label& key = key_of[cells.cell_at(i)];
    require_cells(key == kNoKey || key == keys.at(i));
    key = keys.at(i);
  }
  for (const auto& ranks : cells.ranks)
    for (const auto& group : ranks) {
      Label key = kNoKey;  // of the cells that occur
      for (const Label cell : group) {
        require_cells(key == kNoKey || key_of[cell] == kNoKey || key == key_of[cell]);
        if (key_of[cell] != kNoKey) key = key_of[cell];
      }
    }
}

/// Where a row asks: the flagged tokens if there are any; else, and of other rows, all of them.
RankedCells ColumnContracts::flagged_cells(const FlaggedContract& flagged) {
  RankedCells result{nullptr, nullptr, 2, {{{0, 1}}, {{1}, {0}}}};
  result.cell = positive_labels(state_, flagged.flag);
  if (flagged.when) {
    result.row = positive_labels(state_, *flagged.when);
  } else {
    result.ranks.erase(result.ranks.begin());
  }
  return result;
}

void ColumnContracts::check_cells(const Contract& contract, const RankedCells& cells, bool causal,
                                  const ReadRows& rows) {
  if (const auto* match = std::get_if<MatchContract>(&contract))
    return check_match(*match, cells, causal, rows);
  if (causal) throw HandOver("a contract of cells that a row sees in part");
  const auto same = [&](const RankedCells& expected) {
    require_cells(same_selection(state_, cells, expected));
  };
  std::visit(Overload{[&](const UniformContract&) { same(all_cells()); },
                      [&](const FlaggedContract& flagged) { same(flagged_cells(flagged)); },
                      [&](const FindContract& find) {
                        same(*found_cells(find, rows()));
                        if (find.exactly_one) check_match({true}, cells, causal, rows);
                      },
                      [](const auto&) { throw HandOver("a contract of another kind for cells"); }},
             contract);
}

}  // namespace logdepth::inline runtime_columns
