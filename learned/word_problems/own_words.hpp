#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learned/word_problems/labelled_words.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline learned_word_problems {

/// Words of a file whose letters and labels nothing but the file defines.
struct OwnWords {
  std::string name;  ///< of the task: the file's, and digits of its hash
  /// By number. Whole numbers are in their order, other names in byte order.
  std::vector<std::string> letters, labels;
  LabelledWords given;

  /// Letters of the longest word.
  std::uint32_t longest() const;
};

/// Reads such a file. Errors: InputError with file, line and column; also for fewer than two labels and for
/// more than kMostElements letters or labels.
OwnWords read_own_words(const std::string& file);

/// Words of a file that an automaton labels by its states, by their numbers, or with `verdicts` by 0 and 1;
/// labels do not stay with the words. Errors: InputError with file, line and column, also where a label is
/// not that of the automaton.
std::vector<LabelledWord> read_words_of_automaton(const std::string& file, const Dfa& automaton,
                                                  bool verdicts);

}  // namespace logdepth::inline learned_word_problems
