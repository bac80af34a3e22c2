#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "learned/records/counter_random.hpp"
#include "objects/crasp.hpp"
#include "oracle/crasp_oracle.hpp"

namespace logdepth::inline learned_word_problems {

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

}  // namespace logdepth::inline learned_word_problems
