#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "objects/past_ltl.hpp"

namespace logdepth { inline namespace constructions_YCA24 {

/// Rules of the largest table of a formula between its temporal operators.
inline constexpr std::size_t kMostFormulaRules = 100000;

/// A transformer that accepts the words at whose last letter the formula holds, at every length; at
/// most as many layers as temporal operators stand one inside the other. Source: Yang, Chiang and Angluin 2024.
/// Errors: SizeLimit for a Boolean combination whose table has more than kMostFormulaRules rules.
Program past_ltl(const PastFormula& formula, const std::string& text);

}}  // namespace logdepth::constructions_YCA24
