#pragma once

#include <vector>

namespace logdepth::inline learned_report {

/// Wilcoxon's rank sum test (Mann and Whitney) of two samples, exact also with equal values: of all ways to
/// choose as many of the values as there are in `one`, the share whose rank sum is at least as far from the
/// expected one. 1 where a sample is empty.
double rank_sum_p(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace logdepth::inline learned_report
