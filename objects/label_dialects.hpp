#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace logdepth::inline objects {

/// What tools write into labels beside letters.

/// A spelling of epsilon that is nobody's letter: `<eps>` of OpenFst, `<epsilon>`, `@0@` and
/// `@_EPSILON_SYMBOL_@` of HFST and foma.
bool is_epsilon_symbol(std::string_view label);
/// A word or character that people write for epsilon, and that could be a letter too: eps, epsilon
/// (pyformlang), the Greek letters epsilon and lambda (JFLAP shows one of them).
bool is_epsilon_word(std::string_view label);
/// What a symbol of HFST and foma stands for that is no letter, as "any letter that the automaton
/// does not name" or "a flag"; absent for other labels.
std::optional<std::string> special_symbol(std::string_view label);

}  // namespace logdepth::inline objects
