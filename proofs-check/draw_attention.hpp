#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/outcome.hpp"
#include "runtime/run_word.hpp"

namespace logdepth {

/// Longer words make pictures that nobody can read.
inline constexpr std::size_t kMaxDrawnLetters = 64;

/// Who attends where, as SVG: the tokens in a row and, from top to bottom, one level per executed
/// attention sublayer with heads, in which a line joins every token to each position that a head
/// selects for it (an element of class "select", its opacity 1 / number of selected positions).
/// Under each level: how far the chains of single selections reach back, and the prefix product as
/// the readout gives it at that point, when it gives one at every token. At the bottom the verdict.
/// The same model and word give the same bytes.
/// The refusal of the run or of the verdict, when there is no answer to draw.
/// Errors: InputError for a letter outside the alphabet and beyond kMaxDrawnLetters letters.
Outcome<std::string> draw_attention(WordRunner& runner, const std::vector<std::string>& letters);

}  // namespace logdepth
