#pragma once

#include <string>

#include "learned/report/depth_table.hpp"

namespace logdepth::inline learned_report {

/// One picture for all problems that the same constructions solve at the same depths, those of
/// constant depth aside: layers over log2 of the size. On the left what is claimed, repaired,
/// optimised, constant and published, on the right the same about what was learned, a curve for
/// each problem. `shown`: one of these problems, whose constructions and published line are drawn.
std::string front_picture(const DepthTable& table, const DepthProblem& shown);

}  // namespace logdepth::inline learned_report
