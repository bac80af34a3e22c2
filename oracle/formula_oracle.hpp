#pragma once

#include <memory>
#include <string>

#include "oracle/language_oracle.hpp"

namespace logdepth { inline namespace oracle {

/// The value of a word read as a formula in postfix order, with a stack: over "boolean" accepted where
/// it is 1, else named 1 among 0 at the other values, `none` for what is no formula.
/// Errors: InputError for an alphabet that has no such letters.
std::unique_ptr<LanguageOracle> make_formula_oracle(Alphabet alphabet, const std::string& algebra);

}}  // namespace logdepth::oracle
