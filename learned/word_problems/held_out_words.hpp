#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learned/word_problems/labelled_words.hpp"

namespace logdepth::inline learned_word_problems {

/// The words of a file in two parts: no word of the one is in the other.
struct HeldOutWords {
  std::vector<LabelledWord> trained, held_out;
};

/// Holds every tenth of the different words out, the last of them where they are fewer than ten. Errors:
/// InputError naming the file, for fewer than two different words, and for a word that is there twice with
/// different labels.
HeldOutWords hold_out(std::vector<LabelledWord> words, const std::string& file);

}  // namespace logdepth::inline learned_word_problems
