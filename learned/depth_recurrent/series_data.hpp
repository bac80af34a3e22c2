#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/run_series.hpp"
#include "report/data.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// What the report has of series: numbers that its page, too, is made of.

/// A line of steps and difficulties with what it leaves out: "a", "b", "r2", null without a line,
/// "points", "censored", "beyond_asked", "nothing_reached": [{"loops", "difficulty"}].
report::Data fit_data(const FrontierFit& fit);
/// "difficulties", "loops", "accuracy", "frontier": [{"loops", "difficulty"}], "frontier_fit",
/// "fastest": [{"difficulty", "loops"}], "largest_solved", "overthinking".
report::Data heatmap_data(const AccuracyHeatmap& heatmap);
report::Data series_data(const RecurrentSeries& series);
/// DR-3.
report::Data supervision_data(const std::optional<SupervisionComparison>& comparison);

}  // namespace logdepth::inline learned_depth_recurrent
