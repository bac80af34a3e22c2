#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learned/word_problems/labelled_words.hpp"
#include "learned/word_problems/labelling.hpp"
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

/// How messages call what labels the words of a file, and its labels: "automaton", "state".
struct LabellingNames {
  const char *language, *label;
};

/// Words of a file that an automaton labels by the numbers of its states, or a language by its verdicts 0 and 1;
/// labels do not stay with the words. Errors: InputError with file, line and column, also where a label is
/// not that of `moves`.
std::vector<LabelledWord> read_words_of(const std::string& file, const Alphabet& alphabet,
                                        const Labelling& moves, const LabellingNames& called);

}  // namespace logdepth::inline learned_word_problems
