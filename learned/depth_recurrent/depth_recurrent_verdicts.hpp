#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "learned/report/frontier.hpp"
#include "learned/report/run_table.hpp"
#include "report/criterion.hpp"
#include "report/figures/least_squares.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// The acceptance criteria DR-1 to DR-5 of the specification of depth-recurrent transformers
/// (section 9) as functions of measured accuracies, and the frontier as a line (section 7).

struct HeatmapCell {
  std::uint32_t difficulty = 0, loops = 0;
  double accuracy = 0;
  bool operator==(const HeatmapCell&) const = default;
};

/// Where T loops are fewer than this many hops the criterion of DR-1 is chance, up to the trained
/// range it is success.
inline constexpr std::uint32_t kTrainedHops = 5;
inline constexpr double kSolved = 0.95, kNearChance = 0.06, kExtrapolated = 0.9;
/// Graphs per cell for which kNearChance is meant: nearly four standard deviations of a coin.
inline constexpr std::size_t kGraphsOfChance = 1000;

/// DR-1 for T in {1, 2, 3, 5, 8}.
struct FrontierVerdict {
  std::vector<std::uint32_t> missing_loops, missing_hops;  ///< of T above, and of 1 ... 5 hops
  std::size_t solved_cells = 0, chance_cells = 0;          ///< that were judged
  std::vector<HeatmapCell> unsolved;                       ///< hops <= min(T, 5), below .95
  std::vector<HeatmapCell> leaks;  ///< hops > T, further than .06 from one half
  std::size_t graphs = 0;          ///< per cell

  /// First half: at least .95 at all hops <= min(T, 5).
  report::Verdict solved() const;
  /// Second half, which holds for all weights under the mask: within .06 of one half at all hops
  /// > T. Undecided with fewer than kGraphsOfChance graphs a cell.
  report::Verdict chance() const;
};
FrontierVerdict judge_frontier(const AccuracyHeatmap& heatmap, std::size_t graphs);

/// DR-2.
struct ExtrapolationVerdict {
  std::optional<double> six, eight;  ///< accuracy of so many hops at T = 12
  /// At least .9 on 6 hops.
  report::Verdict verdict() const;
};
ExtrapolationVerdict judge_extrapolation(const AccuracyHeatmap& heatmap);

/// The cells with hops <= T and hops <= `most` where the threshold is not reached: exceptions to "N
/// steps suffice for N hops".
std::vector<HeatmapCell> short_cells(const AccuracyHeatmap& heatmap, std::uint32_t most,
                                     double threshold);

/// One run of DR-3: the largest hop count with at least .95 at some T <= 20, and the accuracy of 12
/// hops at T = 1, which is what a shortcut gives.
struct SupervisionOutcome {
  std::uint64_t seed = 0;
  std::uint32_t largest_solved = 0;
  std::optional<double> shortcut;
  bool operator==(const SupervisionOutcome&) const = default;
};
SupervisionOutcome supervision_outcome(std::uint64_t seed, const AccuracyHeatmap& heatmap);

/// DR-3: medians over the seeds.
struct SupervisionVerdict {
  std::size_t seeds_last = 0, seeds_mean_steps = 0;
  std::optional<double> solved_last, solved_mean_steps;
  std::optional<double> shortcut_last, shortcut_mean_steps;

  bool enough_seeds() const {
    return seeds_last >= report::kSeedsAsked && seeds_mean_steps >= report::kSeedsAsked;
  }
  /// Passed: the loss of every step solves fewer hops in the median than that of the last.
  /// Undecided with fewer runs than kSeedsAsked of either.
  report::Verdict verdict() const;
};
SupervisionVerdict judge_supervision(const std::vector<SupervisionOutcome>& last,
                                     const std::vector<SupervisionOutcome>& mean_steps);

/// DR-4: expressions.
struct ExpressionVerdict {
  /// Depths 1 ... 4 at T = 8; those that were not measured, those below .9.
  std::vector<std::uint32_t> missing;
  std::vector<HeatmapCell> unsolved;
  bool judged_loops = false;        ///< whether T = 8 was measured
  std::vector<HeatmapCell> fallen;  ///< more than .03 below the same depth at some smaller T
  bool several_loops = false;       ///< whether there is anything to fall from
  std::optional<double> deep;       ///< of depth 8 at T = 8

  report::Verdict solved() const;          ///< depth <= 4 at T = 8: at least .9
  report::Verdict non_decreasing() const;  ///< in T within .03, at every depth
  report::Verdict deep_verdict() const;    ///< depth 8 at T = 8: above .7
};
inline constexpr std::uint32_t kShallow = 4, kDeep = 8, kExpressionLoops = 8;
inline constexpr double kShallowSolved = 0.9, kMostFall = 0.03, kDeepAbove = 0.7;
ExpressionVerdict judge_expressions(const AccuracyHeatmap& heatmap);

/// DR-5: family text. At depth 3 the accuracy at T = 4 exceeds that at T = 1 by at least .05.
struct FamilyVerdict {
  std::optional<double> one, four;  ///< accuracy of depth 3 at so many loops
  report::Verdict verdict() const;
};
inline constexpr double kGain = 0.05;
FamilyVerdict judge_families(const AccuracyHeatmap& heatmap);

/// hops* = a T + b, fitted to the frontier. A point (T, frontier) is left out where the frontier
/// is the largest difficulty that was asked for, since more might be reached (censored), else where
/// T is beyond that difficulty, and where nothing was reached. Under the mask a step carries one
/// hop, so that a = 1 at best.
struct FrontierFit {
  using Points = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< (T, frontier)
  Points points, censored, beyond, empty;
  std::optional<LeastSquares> line;  ///< absent with fewer than kFewestFitted points
};
inline constexpr std::size_t kFewestFitted = 3;
FrontierFit fit_frontier(const AccuracyHeatmap& heatmap, double threshold);

/// The median of every cell. Precondition: at least one heatmap, all of the same rows and columns.
AccuracyHeatmap median_heatmap(const std::vector<AccuracyHeatmap>& heatmaps);

}  // namespace logdepth::inline learned_depth_recurrent
