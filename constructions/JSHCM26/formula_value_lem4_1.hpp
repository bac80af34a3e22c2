#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth { inline namespace constructions_JSHCM26 {

/// "boolean", and the integers modulo 2 to 7.
const std::vector<std::string>& formula_algebras();

struct FormulaOptions {
  std::string algebra = "boolean";
  std::uint32_t squares = 2;  ///< a round; with one the rounds do not suffice
};

/// The value of a postfix formula: words over 0 1 ! & |, of which the formulas of value 1 are accepted,
/// or over 0 ... m-1 + *, with an output per value and `none` for words that are no formula.
/// Source: Jerad et al. 2026, Lemma 4.1 and Corollary 4.1.
/// Errors: InputError for another algebra.
Program formula_value(const FormulaOptions& options);

}}  // namespace logdepth::constructions_JSHCM26
