#include <algorithm>
#include <map>
#include <variant>

#include "base/overload.hpp"
#include "runtime/columns/column_layer.hpp"
#include "runtime/columns/column_scores.hpp"
#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

constexpr Label kNoKey = static_cast<Label>(-1);

void require_kept(bool kept) {
  if (!kept) throw HandOver("a selection contract that is not proved");
}

/// Keys of two rows, as a column of numbers: equal numbers mean equal keys.
void add_keys(const RowPair& rows, std::vector<Column>& numbers) {
  numbers.push_back(numbered(rows.key.at.local, rows.key.images.size()));
  const auto has_index = [](const ColumnImage& image) { return image.index != nullptr; };
  if (std::ranges::none_of(rows.key.images, has_index)) return;
  // Of one image, vectors M code are equal if their directions are: they have one length.
  if (!rows.key_plane) throw HandOver("keys that are not told apart");
  for (std::size_t c = 0; c < rows.key.images.size(); ++c)
    if (rows.key_plane->occurs[c] && rows.key_plane->squares[c].is_zero())
      throw HandOver("keys of several lengths");
  numbers.push_back(rows.key_plane->directions);
}

/// Keys of the query's directions in all planes; of these the ones of the largest preference.
RankedCells cells_found(ColumnState& state, std::uint32_t terms,
                        const std::vector<Column>& of_query, const std::vector<Column>& of_key,
                        const Reals& preferences) {
  const Combinations queries = state.passes.combine(pointers(of_query), state.tokens());
  const Combinations keys = state.passes.combine(pointers(of_key), state.tokens());
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

/// A linear form on the stream before the sublayer, as a number per class of tokens.
struct FormValues {
  Combinations at;
  Reals values;

  const Real& value(std::size_t token) const { return values[at.at(token)]; }
};
FormValues form_values(ColumnState& state, const SparseVector& form) {
  const Segments& segments = state.pools.segments;
  Columns read;
  std::vector<std::uint32_t> of;
  for (const SparseEntry& e : form) {
    of.push_back(segments.place[e.index].segment);
    read.push_back(&state.stream[of.back()]);
  }
  FormValues result{state.passes.combine(read), {}};
  for (const auto& combination : result.at.entries) {
    Real sum;
    for (std::size_t t = 0; t < form.size(); ++t) {
      const ColumnEntry& entry = state.pools.entries[of[t]][combination[t]];
      if (!entry.m.empty()) throw HandOver("a flag of a contract that depends on a code");
      add(sum, entry.v[segments.place[form[t].index].offset].scaled(form[t].value));
    }
    result.values.push_back(std::move(sum));
  }
  return result;
}
/// The tokens at which the form is positive.
std::vector<std::uint64_t> positive_tokens(ColumnState& state, const SparseVector& form,
                                           std::size_t words) {
  const FormValues values = form_values(state, form);
  std::vector<std::uint64_t> set(words);
  for (std::size_t i = 0; i < state.tokens(); ++i)
    if (values.value(i).sign() > 0) insert(set.data(), i);
  return set;
}

/// Calls row(token, first token of its word, one past the last one that it sees) for all rows.
template <class Row>
void over_rows(const ColumnState& state, bool causal, Row row) {
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = i - i % state.period;
      row(i, word, causal ? i + 1 : word + state.period);
    }
  });
}

/// The last of the first positions of a word where the form is largest; asked for them in rising order.
void check_rightmost(ColumnState& state, const RightmostContract& contract,
                     const ColumnSelection& selection, bool causal) {
  require_kept(selection.selected != nullptr);
  const FormValues flag = form_values(state, contract.flag);
  std::size_t seen = 0, last = 0;
  over_rows(state, causal, [&](std::size_t i, std::size_t word, std::size_t end) {
    if (i == word) seen = last = word;
    for (; seen < end; ++seen)
      if (seen == word || flag.value(seen) >= flag.value(last)) last = seen;
    require_kept((*selection.selected)[i] == last);
  });
}

/// Where a row asks and sees a flag: all flagged positions and no other. Else all that it sees.
void check_flagged(ColumnState& state, const FlaggedContract& contract,
                   const ColumnSelection& selection, bool causal) {
  const FormValues flag = form_values(state, contract.flag);
  std::optional<FormValues> when;
  if (contract.when) when = form_values(state, *contract.when);
  std::size_t seen = 0, flagged = 0, last = 0;
  over_rows(state, causal, [&](std::size_t i, std::size_t word, std::size_t end) {
    if (i == word) {
      seen = word;
      flagged = 0;
    }
    for (; seen < end; ++seen)
      if (flag.value(seen).sign() > 0) {
        ++flagged;
        last = seen;
      }
    const bool asks = !when || when->value(i).sign() > 0;
    const std::size_t visible = end - word;
    const bool all = !asks || flagged == 0 || flagged == visible;
    if (selection.selected) {
      const std::size_t expected = all ? word : last;
      require_kept((all ? visible : flagged) == 1 && (*selection.selected)[i] == expected);
    } else {
      require_kept(all);
    }
  });
}

/// Calls expected(token, set) with the set of visible tokens, which it may make smaller, and holds it
/// against the set that the row selects.
template <class Expected>
void check_rows(const ColumnState& state, const TokenSets& sets, bool causal, Expected expected) {
  std::vector<std::uint64_t> visible(sets.words()), set;
  std::size_t seen = 0;
  over_rows(state, causal, [&](std::size_t i, std::size_t, std::size_t end) {
    for (; seen < end; ++seen) insert(visible.data(), seen);
    set = visible;
    expected(i, set);
    require_kept(std::ranges::equal(set, sets.row(i)));
  });
}

/// The tokens that are in both; as it was where there is none.
void prefer(std::vector<std::uint64_t>& set, TokenSets::Row other) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < set.size(); ++w) any |= set[w] & other[w];
  if (any == 0) return;
  for (std::size_t w = 0; w < set.size(); ++w) set[w] &= other[w];
}

/// 1 at the tokens where the form on the stream is positive, else 0.
SharedLabels positive_labels(ColumnState& state, const SparseVector& form) {
  const FormValues values = form_values(state, form);
  const auto labels = state.passes.labels();
  for (std::size_t i = 0; i < state.tokens(); ++i)
    labels->data()[i] = values.value(i).sign() > 0 ? 1 : 0;
  return labels;
}

/// What is selected, as sets: one token, or everything that the row sees. Errors: HandOver for several
/// words, and for a long one.
TokenSets sets_of(ColumnState& state, const ColumnSelection& selection, bool causal) {
  if (state.words() > 1 || state.tokens() > ColumnScores::kMostTokens)
    throw HandOver("sets of tokens of several words, or of a long one");
  TokenSets sets(state.passes.memory());
  if (selection.cells) {
    if (causal) throw HandOver("cells that a row sees in part");
    const CellCounts counts(state, *selection.cells);
    std::vector<char> in(selection.cells->cells);
    for (std::size_t i = 0; i < state.tokens(); ++i) {
      const RankedCells::Group& group = counts.selected(0, selection.cells->row_at(i));
      for (const Label cell : group) in[cell] = 1;
      for (std::size_t j = 0; j < state.tokens(); ++j)
        if (in[selection.cells->cell_at(j)]) insert(sets.row(i), j);
      for (const Label cell : group) in[cell] = 0;
    }
    return sets;
  }
  over_rows(state, causal, [&](std::size_t i, std::size_t, std::size_t end) {
    if (selection.selected) return insert(sets.row(i), (*selection.selected)[i]);
    for (std::size_t j = 0; j < end; ++j) insert(sets.row(i), j);
  });
  return sets;
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
  return known_.of(1, pointers(named), all);
}

/// A match: one token at every row, or tokens that share one key.
void ColumnContracts::check_match(const MatchContract& match, const RankedCells& cells, bool causal,
                                  const ReadRows& rows) {
  if (match.exactly_one) {
    if (causal) throw HandOver("a contract of cells that a row sees in part");
    const CellCounts counts(state_, cells);
    over_row_classes(state_, cells.row, cells.ranks.size(),
                     [&](std::size_t word, Label row, std::size_t) {
                       require_kept(counts.size(word, counts.selected(word, row)) == 1);
                     });
    return;
  }
  std::vector<Column> numbers;
  for (const RowPair& pair : rows()) add_keys(pair, numbers);
  const Combinations keys = state_.passes.combine(pointers(numbers), state_.tokens());
  std::vector<Label> key_of(cells.cells, kNoKey);
  for (std::size_t i = 0; i < state_.tokens(); ++i) {
    Label& key = key_of[cells.cell_at(i)];
    require_kept(key == kNoKey || key == keys.at(i));
    key = keys.at(i);
  }
  for (const auto& ranks : cells.ranks)
    for (const auto& group : ranks) {
      Label key = kNoKey;  // of the cells that occur
      for (const Label cell : group) {
        require_kept(key == kNoKey || key_of[cell] == kNoKey || key == key_of[cell]);
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
    require_kept(same_selection(state_, cells, expected));
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

/// Row i: the tokens j with asks_i[p] > 0 and answers_j[p] > 0 for one of the pairs p.
const TokenSets& ColumnContracts::related(const Pairs& pairs) {
  if (related_ && pairs_ == pairs) return *related_;
  pairs_ = pairs;
  TokenSets& sets = related_.emplace(state_.passes.memory());
  for (const RelatedContract::Pair& pair : pairs) {
    const auto asks = positive_tokens(state_, {{pair.query, Rational(1)}}, sets.words());
    const auto answers = positive_tokens(state_, {{pair.key, Rational(1)}}, sets.words());
    for (std::size_t i = 0; i < state_.tokens(); ++i)
      if (contains(asks, i))
        for (std::size_t w = 0; w < sets.words(); ++w) sets.row(i)[w] |= answers[w];
  }
  return sets;
}

/// The visible related tokens; of these the preferred ones, if there are any. Where none is related a row
/// breaks its contract, since every row selects a token.
void ColumnContracts::check_related(const RelatedContract& contract, const TokenSets& sets,
                                    bool causal) {
  const TokenSets& related_to = related(contract.pairs);
  const auto preferred = positive_tokens(state_, contract.prefer, sets.words());
  check_rows(state_, sets, causal, [&](std::size_t i, std::vector<std::uint64_t>& set) {
    for (std::size_t w = 0; w < set.size(); ++w) set[w] &= related_to.row(i)[w];
    prefer(set, preferred);
  });
}

void ColumnContracts::check_sets(const Contract& contract, const TokenSets& sets, bool causal) {
  std::visit(Overload{[&](const UniformContract&) {
                        check_rows(state_, sets, causal, [](std::size_t, auto&) {});
                      },
                      [&](const FlaggedContract& flagged) {
                        const auto flags = positive_tokens(state_, flagged.flag, sets.words());
                        std::optional<FormValues> when;
                        if (flagged.when) when = form_values(state_, *flagged.when);
                        check_rows(state_, sets, causal,
                                   [&](std::size_t i, std::vector<std::uint64_t>& set) {
                                     if (!when || when->value(i).sign() > 0) prefer(set, flags);
                                   });
                      },
                      [&](const RelatedContract& related) { check_related(related, sets, causal); },
                      [](const FindContract&) { throw HandOver("a contract of kind `find`"); },
                      [](const auto&) { throw HandOver("a row that selects several positions"); }},
             contract);
}

void ColumnContracts::check(const Contract& contract, const ColumnSelection& selection,
                            bool one_key, bool causal, const ReadRows& rows) {
  const bool related = std::holds_alternative<RelatedContract>(contract);
  const bool find = std::holds_alternative<FindContract>(contract);
  if (selection.cells && !related && (find || !selection.selected))
    return check_cells(contract, *selection.cells, causal, rows);
  if (selection.sets && (!selection.selected || related))
    return check_sets(contract, *selection.sets, causal);
  if (related) return check_sets(contract, sets_of(state_, selection, causal), causal);
  // A word of one token: its row selects one position, which is all that it sees.
  const bool single = selection.selected || state_.period == 1;
  const bool all = !selection.selected || state_.period == 1;
  std::visit(Overload{[&](const UniformContract&) { require_kept(all); },
                      [&](const MatchContract& match) {
                        require_kept(single || (!match.exactly_one && one_key));
                      },
                      [&](const RightmostContract& rightmost) {
                        check_rightmost(state_, rightmost, selection, causal);
                      },
                      [&](const FlaggedContract& flagged) {
                        check_flagged(state_, flagged, selection, causal);
                      },
                      [](const FindContract&) { throw HandOver("a contract of kind `find`"); },
                      [](const RelatedContract&) {}},
             contract);
}

}}  // namespace logdepth::runtime_columns
