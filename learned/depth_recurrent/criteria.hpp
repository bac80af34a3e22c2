#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/run_series.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// "0.953", "not measured".
std::string accuracy_text(const std::optional<double>& accuracy);
/// "0.86 T + 0.25".
std::string line_text(double a, double b);
/// "3 hops at T = 5 (0.900), ...".
std::string cells_text(const RecurrentSubject& subject, const std::vector<HeatmapCell>& cells);

/// A criterion of the specification, judged on one heatmap.
struct HeatmapCriterion {
  std::string name;   ///< as in "DR-1 solved"
  std::string asked;  ///< what it takes to pass
  report::Verdict verdict = report::Verdict::undecided;
  std::string measured;              ///< the numbers
  std::vector<HeatmapCell> against;  ///< cells that fail it
};

/// The criteria about a series' base, on a heatmap with so many samples a cell: DR-1 and DR-2 of
/// twins under the mask, DR-4 of expressions, DR-5 of families, none of other graphs and none of a
/// base whose loss is not that of the last step. The published heatmap can be judged likewise.
std::vector<HeatmapCriterion> criteria_of(const RecurrentSeries& series,
                                          const AccuracyHeatmap& heatmap, std::size_t samples);

/// Why there are none, a sentence. Precondition: there are none.
std::string not_judged(const RecurrentSeries& series);

/// DR-3: the base of a series and its runs under a loss after every loop.
struct SupervisionComparison {
  std::vector<SupervisionOutcome> last, mean_steps;  ///< by seed
  SupervisionVerdict verdict;
};
/// Of graphs-natural; absent where there is no such series. Runs that are missing leave it
/// undecided.
std::optional<SupervisionComparison> supervision_comparison(
    const std::vector<RecurrentSeries>& all);

/// What a table says of one heatmap: its numbers as far as they were measured.
struct HeatmapReading {
  std::uint32_t largest_solved = 0;
  FrontierFit fit;
  std::optional<double> trained;  ///< accuracy of the hardest at the most loops trained on
  double overthinking = 0;        ///< the worst over the difficulties
};
/// `trained`: of the base, so that all runs of a series are read in one cell.
HeatmapReading read_heatmap(const AccuracyHeatmap& heatmap, const TrainedRange& trained);

}  // namespace logdepth::inline learned_depth_recurrent
