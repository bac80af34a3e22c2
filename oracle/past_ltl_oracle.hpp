#pragma once

#include <memory>
#include <string>

#include "objects/past_ltl.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth { inline namespace oracle {

/// Whether the formula holds at the last letter: every subformula at every position, by the definition
/// of its operator.
std::unique_ptr<LanguageOracle> make_past_ltl_oracle(PastFormula formula, std::string name);

}}  // namespace logdepth::oracle
