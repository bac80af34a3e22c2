#include "runtime/columns/column_embedding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <variant>

#include "runtime/columns/hand_over.hpp"
#include "runtime/stream/embed.hpp"

namespace logdepth::inline runtime_columns {
namespace {

/// Classes of positions whose encodings differ beside their codes.
enum class Where : EntryId { first, odd, even };

Column dictionary_of(std::shared_ptr<Labels> local, std::size_t size) {
  Column column{std::move(local), std::vector<EntryId>(size), nullptr};
  std::iota(column.dictionary.begin(), column.dictionary.end(), EntryId{0});
  return column;
}

Column kinds_column(ColumnState& state, const std::vector<std::uint32_t>& kinds,
                    std::size_t number) {
  const auto local = state.passes.labels();
  std::ranges::copy(kinds, local->data());
  return dictionary_of(local, number);
}

Column where_column(ColumnState& state) {
  const Position& position = state.pools.model.position;
  const auto* code = std::get_if<CodePosition>(&position);
  if (std::holds_alternative<TablePosition>(position) || (code && code->parity.empty()))
    return {nullptr, {static_cast<EntryId>(Where::even)}, nullptr};
  const auto local = state.passes.labels();
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    const std::size_t p = i % state.period;
    local->data()[i] = static_cast<Label>(p == 0       ? Where::first
                                          : p % 2 == 1 ? Where::odd
                                                       : Where::even);
  }
  return dictionary_of(local, 3);
}

/// The position encoding that is a number, of a class of positions.
void add_position(const Position& position, Where where, Rationals& row) {
  if (const auto* flag = std::get_if<FirstFlagPosition>(&position)) {
    for (const SparseEntry& e : where == Where::first ? flag->first : flag->rest)
      row[e.index] += e.value;
  } else if (const auto* code = std::get_if<CodePosition>(&position)) {
    for (const SparseEntry& e : code->parity)
      row[e.index] += where == Where::odd ? -e.value : e.value;
  }
}

/// The matrices of the codes in every segment, and the index whose codes they are.
struct Codes {
  std::vector<Rationals> matrix;   // per segment
  std::vector<SharedIndex> index;  // per segment
};
Codes codes_of(ColumnState& state) {
  const ColumnPools& pools = state.pools;
  Codes codes{std::vector<Rationals>(pools.segments.size()),
              std::vector<SharedIndex>(pools.segments.size())};
  const auto* position = std::get_if<CodePosition>(&pools.model.position);
  if (!position) return codes;
  std::map<std::uint32_t, SharedIndex> index_of;  // by `back`
  for (const CodeFill& fill : position->fills) {
    SharedIndex& index = index_of[fill.back];
    if (!index && fill.back == 0 && state.words() == 1) {
      index = std::make_shared<ColumnIndex>(ColumnIndex{state.codes, nullptr});
    } else if (!index) {
      const auto ids = state.passes.labels();
      for (std::size_t i = 0; i < state.tokens(); ++i) {
        const std::size_t p = i % state.period;
        ids->data()[i] = static_cast<Label>(p > fill.back ? p - fill.back : 0);
      }
      index = std::make_shared<ColumnIndex>(ColumnIndex{state.codes, ids});
    }
    for (std::size_t d = 0; d < fill.at.size(); ++d) {
      const auto [segment, offset] = pools.segments.place[fill.at[d]];
      if (codes.index[segment] && codes.index[segment] != index)
        throw HandOver("codes of two positions in one segment");
      codes.index[segment] = index;
      codes.matrix[segment].resize(pools.length(segment) * state.codes->dims);
      codes.matrix[segment][offset * state.codes->dims + d] += fill.scale;
    }
  }
  return codes;
}

/// Numbers that differ from token to token: given values, and a table of positions. Per segment a column,
/// and what its entries add.
struct Beside {
  std::vector<Column> columns;
  std::vector<std::vector<Rationals>> numbers;
};
Beside beside_kinds(ColumnState& state, const std::vector<Rational>& given) {
  const ColumnPools& pools = state.pools;
  Beside result{std::vector<Column>(pools.segments.size(), Column{nullptr, {0}, nullptr}),
                std::vector<std::vector<Rationals>>(pools.segments.size())};
  for (std::size_t s = 0; s < pools.segments.size(); ++s)
    result.numbers[s] = {Rationals(pools.length(static_cast<std::uint32_t>(s)))};
  const auto* table = std::get_if<TablePosition>(&pools.model.position);
  const GivenPlace place = given_place(pools.model);
  if (!table && place.values == 0) return result;
  if (table && table->rows.size() < state.period)
    throw HandOver("positions beyond the table of positions");
  std::vector<std::map<Rationals, Label>> known(pools.segments.size());
  std::vector<std::shared_ptr<Labels>> local(pools.segments.size());
  std::map<std::uint32_t, Rationals> here;  // by segment: what stands at one token
  const auto add = [&](std::size_t coordinate, const Rational& value) {
    const auto [segment, offset] = pools.segments.place[coordinate];
    here.try_emplace(segment, pools.length(segment)).first->second[offset] += value;
  };
  for (std::size_t i = 0; i < state.tokens(); ++i) {
    here.clear();
    for (std::size_t v = 0; v < place.values; ++v) {
      const Rational& value = given[i * place.values + v];
      add(v, value);
      if (place.mirror > 0) add(v + place.mirror, -value);
    }
    if (table)
      for (const SparseEntry& e : table->rows[i % state.period]) add(e.index, e.value);
    for (auto& [segment, numbers] : here) {
      if (!local[segment]) {
        local[segment] = state.passes.labels();
        std::fill_n(local[segment]->data(), state.tokens(), Label{0});
        known[segment].emplace(result.numbers[segment][0], 0);
      }
      const auto fresh = static_cast<Label>(known[segment].size());
      const auto [entry, is_new] = known[segment].try_emplace(numbers, fresh);
      if (is_new) result.numbers[segment].push_back(std::move(numbers));
      local[segment]->data()[i] = entry->second;
    }
  }
  for (std::size_t s = 0; s < pools.segments.size(); ++s)
    if (local[s]) result.columns[s] = dictionary_of(local[s], result.numbers[s].size());
  return result;
}

}  // namespace

void embed_columns(ColumnState& state, const ColumnTokens& tokens) {
  ColumnPools& pools = state.pools;
  const Column kind = kinds_column(state, tokens.kinds, tokens.embedding.size());
  const Column where = where_column(state);
  const Codes codes = codes_of(state);
  const Combinations both = state.passes.combine({&kind, &where});
  std::vector<Rationals> rows;
  for (const auto& combination : both.entries) {
    Rationals& row = rows.emplace_back(pools.model.width);
    for (const SparseEntry& e : *tokens.embedding[combination[0]]) row[e.index] += e.value;
    add_position(pools.model.position, static_cast<Where>(combination[1]), row);
  }
  Column classes{both.local, std::vector<EntryId>(rows.size()), nullptr};
  std::iota(classes.dictionary.begin(), classes.dictionary.end(), EntryId{0});
  const Beside beside = beside_kinds(state, tokens.given);
  for (std::size_t s = 0; s < pools.segments.size(); ++s) {
    const Combinations all = state.passes.combine({&classes, &beside.columns[s]});
    std::vector<EntryId> entries;
    for (const auto& combination : all.entries) {
      const Rationals& own = beside.numbers[s][combination[1]];
      ColumnEntry entry{Reals(own.begin(), own.end()),
                        Reals(codes.matrix[s].begin(), codes.matrix[s].end())};
      for (std::size_t r = 0; r < entry.v.size(); ++r)
        add(entry.v[r], rows[combination[0]][pools.segments.coordinates[s][r]]);
      entries.push_back(pools.entries[s].intern(std::move(entry)));
    }
    state.stream.push_back(state.passes.relabel(
        all, entries, std::vector<SharedIndex>(entries.size(), codes.index[s])));
  }
}

}  // namespace logdepth::inline runtime_columns
