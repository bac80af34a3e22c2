#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/columns/column.hpp"
#include "runtime/columns/labels.hpp"

namespace logdepth { inline namespace runtime_columns {

/// A set of tokens per row, as bits, of an input that is one word.
class TokenSets {
 public:
  static constexpr std::size_t kBits = 64;
  using Row = std::span<const std::uint64_t>;

  explicit TokenSets(const std::shared_ptr<LabelMemory>& memory)
      : tokens_(memory->tokens()), words_((tokens_ + kBits - 1) / kBits) {
    held_ = HeldBytes(memory, tokens_ * words_ * sizeof(std::uint64_t));
    bits_.resize(tokens_ * words_);
  }

  std::size_t tokens() const { return tokens_; }
  std::size_t words() const { return words_; }  ///< of a row
  Row row(std::size_t i) const { return {bits_.data() + i * words_, words_}; }
  std::uint64_t* row(std::size_t i) { return bits_.data() + i * words_; }

 private:
  std::size_t tokens_, words_;
  HeldBytes held_;
  std::vector<std::uint64_t> bits_;
};

/// A set of tokens.
inline void insert(std::uint64_t* set, std::size_t token) {
  set[token / TokenSets::kBits] |= std::uint64_t{1} << token % TokenSets::kBits;
}
inline bool contains(TokenSets::Row set, std::size_t token) {
  return (set[token / TokenSets::kBits] >> token % TokenSets::kBits & 1) != 0;
}
inline std::size_t size_of(TokenSets::Row set) {
  std::size_t size = 0;
  for (const std::uint64_t word : set) size += static_cast<std::size_t>(std::popcount(word));
  return size;
}
/// Precondition: not empty.
inline std::size_t first_of(TokenSets::Row set) {
  std::size_t word = 0;
  while (set[word] == 0) ++word;
  return word * TokenSets::kBits + static_cast<std::size_t>(std::countr_zero(set[word]));
}

/// What the rows of a head select, by classes of rows and cells of tokens: of the first group of cells in
/// which a row sees a token, all tokens that it sees.
struct RankedCells {
  using Group = std::vector<Label>;

  SharedLabels row, cell;  ///< the class of a row, the cell of a token; absent: 0
  std::size_t cells = 1;
  std::vector<std::vector<Group>> ranks;  ///< per class of rows
  HeldBytes held = {};

  /// Counts what the ranks hold. Errors: HandOver beyond the memory limit.
  void hold(ColumnState& state);
  Label row_at(std::size_t token) const { return row ? (*row)[token] : 0; }
  Label cell_at(std::size_t token) const { return cell ? (*cell)[token] : 0; }
  Column row_column() const;
  Column cell_column() const;
};

/// All tokens of a word, for every row.
RankedCells all_cells();

/// How many tokens of every word stand in a cell, and have a kind there.
class CellCounts {
 public:
  /// Errors: HandOver where there are far more cells than tokens.
  CellCounts(ColumnState& state, const RankedCells& cells, const SharedLabels& kind = nullptr,
             std::size_t kinds = 1);

  std::uint32_t of(std::size_t word, Label cell, std::size_t kind = 0) const {
    return counts_[(word * cells_.cells + cell) * kinds_ + kind];
  }
  /// What a class of rows selects in a word, of rows that see all of it. Errors: HandOver for nothing.
  const RankedCells::Group& selected(std::size_t word, Label row) const;
  /// How many tokens that is.
  std::uint64_t size(std::size_t word, const RankedCells::Group& group) const;

 private:
  bool occurs(std::size_t word, Label cell) const;

  const RankedCells& cells_;
  std::size_t kinds_;
  HeldBytes held_;
  std::vector<std::uint32_t> counts_;
};

/// Calls row(word, class, token) for every class of rows that occurs in a word, once.
template <class Row>
void over_row_classes(ColumnState& state, const SharedLabels& rows, std::size_t classes, Row row) {
  std::vector<std::size_t> latest(classes);  // one past the word
  state.passes.count_pass();
  over_tokens(state.tokens(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t word = i / state.period;
      const Label of = rows ? (*rows)[i] : 0;
      if (latest[of] == word + 1) continue;
      latest[of] = word + 1;
      row(word, of, i);
    }
  });
}

/// Whether the rows of words that they see as a whole select the same tokens in both. Errors: HandOver.
bool same_selection(ColumnState& state, const RankedCells& a, const RankedCells& b);

/// The one token that every row selects, of words that it sees as a whole; absent: some select more.
SharedLabels single_tokens(ColumnState& state, const RankedCells& cells);

/// The same of rows that see the tokens up to their own. Errors: HandOver unless every class of rows
/// selects one cell, of which all of its rows see a token.
SharedLabels seen_single_tokens(ColumnState& state, const RankedCells& cells);

}}  // namespace logdepth::runtime_columns
