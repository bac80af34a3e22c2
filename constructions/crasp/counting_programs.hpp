#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "objects/crasp.hpp"

namespace logdepth { inline namespace constructions_crasp {

/// A transformer that decides what the C-RASP program decides, for words of every length. Its
/// parameters `comparisons` and `table_layers` add up to its depth; `nesting` is that of the counts.
/// Errors: SizeLimit for a comparison that becomes too many without min, max and conditionals.
Program counting_program(const CraspProgram& crasp, const std::string& name);

}}  // namespace logdepth::constructions_crasp
