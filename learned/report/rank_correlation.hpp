#pragma once

#include <optional>
#include <vector>

namespace logdepth::inline learned_report {

/// Spearman's coefficient of two numbers of each of several things: the correlation of their ranks,
/// where equal numbers share the mean of theirs. Absent of fewer than two things, and where all
/// numbers of one kind are equal. Precondition: as many x as y, all finite.
std::optional<double> rank_correlation(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace logdepth::inline learned_report
