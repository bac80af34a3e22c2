#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/entries.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/segments.hpp"

namespace logdepth::inline runtime_columns {

/// What is kept from one input to the next: interned entries, which memos name.
struct ColumnPools {
  explicit ColumnPools(const Model& of)
      : model(of), segments(segments_of(of)), entries(segments.size()) {}

  const Model& model;
  Segments segments;
  std::vector<EntryPool> entries;  ///< per segment
  EntryPool factors, signatures, boxes;

  std::size_t bytes() const {
    std::size_t total = factors.bytes() + signatures.bytes() + boxes.bytes();
    for (const EntryPool& pool : entries) total += pool.bytes();
    return total;
  }
  std::size_t length(std::uint32_t segment) const { return segments.coordinates[segment].size(); }
};

/// The residual stream of an input as columns, one per segment. The input is one word, or words of one
/// length one after the other: a token sees its own word.
struct ColumnState {
  ColumnState(ColumnPools& of, std::size_t tokens, std::size_t tokens_of_word, std::size_t memory,
              std::size_t threads)
      : pools(of),
        passes(std::make_shared<LabelMemory>(tokens, memory), threads),
        period(tokens_of_word),
        codes(code_family(of.model, tokens)) {}

  ColumnPools& pools;
  ColumnPasses passes;
  std::size_t period;  ///< tokens of a word
  SharedFamily codes;  ///< of positions
  std::vector<Column> stream;
  std::optional<Column> word;     ///< made by word_column()
  std::uint64_t evaluations = 0;  ///< of maps and units, once per combination

  std::size_t tokens() const { return passes.tokens(); }
  std::size_t words() const { return tokens() / period; }
};

/// Which word a token is of.
inline Column word_column(ColumnState& state) {
  if (!state.word) {
    Column words{nullptr, {}, nullptr};
    if (state.words() > 1) {
      const auto local = state.passes.labels();
      for (std::size_t i = 0; i < state.tokens(); ++i)
        local->data()[i] = static_cast<Label>(i / state.period);
      words.local = local;
    }
    for (EntryId word = 0; word < state.words(); ++word) words.dictionary.push_back(word);
    state.word = std::move(words);
  }
  return *state.word;
}

/// The first of the columns that has the index of this one: the name of an index among them.
inline std::uint32_t index_name(const Columns& columns, std::size_t column) {
  std::uint32_t first = 0;
  while (columns[first]->index != columns[column]->index) ++first;
  return first;
}

inline Columns pointers(const std::vector<Column>& from,
                        const std::vector<std::uint32_t>& segments) {
  Columns result;
  for (const std::uint32_t s : segments) result.push_back(&from[s]);
  return result;
}

}  // namespace logdepth::inline runtime_columns
