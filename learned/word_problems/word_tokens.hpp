#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "learned/records/samples.hpp"

namespace logdepth::inline learned_word_problems {

/// Words as a network reads them: a token per letter, with its position or behind a token that begins
/// the word.
class WordTokens {
 public:
  /// `letters`: of the alphabet. `longest`: letters of a word with positions.
  WordTokens(bool begin, std::uint32_t letters, std::uint32_t longest)
      : begin_(begin), letters_(letters), longest_(longest) {}

  std::vector<std::uint32_t> tables() const {
    if (begin_) return {letters_ + 1};
    return {letters_, longest_};
  }
  /// Tokens before the first letter.
  std::size_t before() const { return begin_ ? 1 : 0; }

  /// Without words yet.
  Samples samples(std::size_t count, std::size_t length) const {
    Samples samples;
    samples.count = count;
    samples.tokens = before() + length;
    samples.size = length;
    samples.indices.reserve(count * samples.tokens * tables().size());
    samples.targets.reserve(count * samples.tokens);
    return samples;
  }
  /// The tokens of the first `letters` of one more word; nothing is asked of those before it.
  void add(Samples& samples, const std::vector<std::uint32_t>& word, std::size_t letters) const {
    if (begin_) {
      samples.indices.push_back(static_cast<std::int32_t>(letters_));
      samples.targets.push_back(Samples::kIgnored);
    }
    for (std::size_t i = 0; i < letters; ++i) {
      samples.indices.push_back(static_cast<std::int32_t>(word[i]));
      if (!begin_) samples.indices.push_back(static_cast<std::int32_t>(i));
    }
  }
  /// So many tokens behind a word that is shorter than its row. A causal network reads them at no letter,
  /// and nothing is asked of them.
  void pad(Samples& samples, std::size_t count) const {
    samples.indices.resize(samples.indices.size() + count * tables().size());
    samples.targets.resize(samples.targets.size() + count, Samples::kIgnored);
  }

 private:
  bool begin_;
  std::uint32_t letters_, longest_;
};

}  // namespace logdepth::inline learned_word_problems
