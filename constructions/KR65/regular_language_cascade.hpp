#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "constructions/KR65/cascade_task.hpp"

namespace logdepth::inline constructions_KR65 {

/// By holonomy. A word problem is that of the right regular action of its transition monoid, so
/// that the states are the products. Errors: SizeLimit.
CascadeTask cascade_of(const Action& action);

/// The program of the construction: see the head of the .cpp for statement and proof; its code says
/// hypotheses, deviations and cells. `name` goes into the weights file. Errors: SizeLimit with the
/// level whose table is too large.
Program regular_language_cascade_KR65(const CascadeTask& task, const std::string& name,
                                      const CascadeOptions& options = {});

}  // namespace logdepth::inline constructions_KR65
