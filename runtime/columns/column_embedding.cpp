#include "runtime/columns/column_embedding.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <variant>

#include "runtime/columns/hand_over.hpp"

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
  const auto* code = std::get_if<CodePosition>(&state.pools.model.position);
  if (code && code->parity.empty()) return {nullptr, {static_cast<EntryId>(Where::even)}, nullptr};
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

}  // namespace

void embed_columns(ColumnState& state, const std::vector<std::uint32_t>& kinds,
                   const std::vector<const SparseVector*>& embedding) {
  ColumnPools& pools = state.pools;
  const Position& position = pools.model.position;
  if (std::holds_alternative<TablePosition>(position)) throw HandOver("a table of positions");
  const Column kind = kinds_column(state, kinds, embedding.size()), where = where_column(state);
  const Codes codes = codes_of(state);
  const Combinations both = state.passes.combine({&kind, &where});
  std::vector<std::vector<EntryId>> entries(pools.segments.size());
  for (const auto& combination : both.entries) {
    Rationals row(pools.model.width);
    for (const SparseEntry& e : *embedding[combination[0]]) row[e.index] += e.value;
    add_position(position, static_cast<Where>(combination[1]), row);
    for (std::size_t s = 0; s < pools.segments.size(); ++s) {
      ColumnEntry entry{{}, codes.matrix[s]};
      for (const std::uint32_t c : pools.segments.coordinates[s]) entry.v.push_back(row[c]);
      entries[s].push_back(pools.entries[s].intern(std::move(entry)));
    }
  }
  for (std::size_t s = 0; s < pools.segments.size(); ++s)
    state.stream.push_back(state.passes.relabel(
        both, entries[s], std::vector<SharedIndex>(entries[s].size(), codes.index[s])));
}

}  // namespace logdepth::inline runtime_columns
