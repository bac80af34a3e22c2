#pragma once

#include <optional>
#include <string>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_rules {

/// A lookup is a function iff, for each assigned cell, the conditions of the rules that assign it
/// partition the value space of the condition cells: every combination of values satisfies exactly
/// one of them. Decided by splitting on a shared cell until one unconditional rule is left, so the
/// cost is near the number of rules when they form a decision tree. Returns the first combination
/// that no rule, or two rules, cover; absent when the lookup is a function.
std::optional<std::string> partition_violation(const Program& program,
                                               const LookupStatement& lookup);

}  // namespace logdepth::inline compiler_rules
