#pragma once

#include <string>
#include <vector>

namespace logdepth::inline learned_report {

/// Wilcoxon's rank sum test (Mann and Whitney) of two samples, exact also with equal values: of all ways to
/// choose as many of the values as there are in `one`, the share whose rank sum is at least as far from the
/// expected one. 1 where a sample is empty.
double rank_sum_p(const std::vector<double>& one, const std::vector<double>& other);

/// "medians 0.89 (12 networks) and 0.02 (15 networks), exact rank sum test over networks, two-sided p < 0.0001".
/// Precondition: no sample is empty.
std::string rank_sum_text(const std::vector<double>& one, const std::vector<double>& other);

}  // namespace logdepth::inline learned_report
