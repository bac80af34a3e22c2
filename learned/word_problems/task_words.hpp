#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "learned/records/task.hpp"
#include "objects/crasp.hpp"
#include "oracle/crasp_oracle.hpp"

namespace logdepth { inline namespace learned_word_problems {

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

/// Draws words on which a program's verdict is either one, also where nearly all words have the same.
///
/// The verdict and the letter after which it is to be given are drawn first: in half of the words the last
/// letter, else any. Then a word that has it is drawn, uniformly among all of them, and the letters behind it
/// are uniform. For that, beginnings of equal length after which the program goes on alike (CraspRun::memory) are
/// one state, with the probability that uniform letters lead to it, and words are drawn backwards from the states
/// with the wanted verdict. Of each length at most kMostStates are kept, half of them the most and half the least
/// probable: a language such as a^n b^n c^n is reached through beginnings that are single words. Which ones of equal
/// probability is drawn.
class VerdictWords {
 public:
  /// Letters after which a verdict is drawn; those behind are uniform.
  static constexpr std::uint32_t kLongest = 128;
  static constexpr std::size_t kMostStates = 4096;

  /// Keeps a pointer to the program. Errors: InputError naming its file if all beginnings of at most
  /// `longest` letters that are looked at have the same verdict.
  VerdictWords(const CraspProgram& program, std::uint32_t longest);

  std::vector<std::uint32_t> draw(std::uint32_t length, CounterRandom& random) const;

 private:
  /// A way to a state; `upto`: the probability of the states of this way and those before it in its list.
  struct Arc {
    std::uint32_t from, letter;
    double upto;
  };
  struct Reached {
    double probability = 0;
    std::vector<Arc> arcs = {};  ///< from states of one letter less
  };
  struct Level {
    std::vector<Reached> states;
    std::vector<Arc> with[2];  ///< to the states with either verdict, without a letter
  };

  /// One letter more.
  void extend() const;
  std::vector<std::uint32_t> word_to(std::uint32_t length, bool verdict,
                                     CounterRandom& random) const;

  const CraspProgram* program_;
  std::uint32_t longest_;
  // Levels are made when the first word is drawn: many tasks are made to be looked at only.
  mutable std::once_flag extended_;
  mutable std::vector<Level> levels_;
  mutable std::vector<CraspRun> runs_;  ///< of the states of the last level
};

/// Letters from 0 on, each drawn uniformly.
std::vector<std::uint32_t> uniform_word(std::size_t length, std::uint64_t letters,
                                        CounterRandom& random);

}}  // namespace logdepth::learned_word_problems
