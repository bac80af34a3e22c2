#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/columns/labels.hpp"

namespace logdepth::inline runtime_columns {

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

}  // namespace logdepth::inline runtime_columns
