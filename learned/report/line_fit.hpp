#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/figures/least_squares.hpp"

namespace logdepth::inline learned_report {

/// What one trained network of a given depth reached.
struct DepthPoint {
  double depth = 0;       ///< executed layers, or log2 of the width in a series of widths
  double reach = 0;       ///< n* of words, h* of graphs: larger is better; 0: nothing
  bool censored = false;  ///< it was not asked for more, so the true reach may be larger
  std::uint64_t seed = 0;
  bool unsettled = false;  ///< training still changed it, so with more steps it may be larger
  /// Its training never came to this depth: with it the network reaches at most `reach`.
  bool absent = false;
  /// Points of one network, its iterations, are resampled together; without one it is alone.
  std::optional<std::size_t> network = std::nullopt;
};

/// How the seeds of one depth become one number.
enum class SeedChoice {
  best,   ///< the largest, as MS25 section 7 does
  median  ///< of an even number the mean of the two in the middle
};

/// All seeds of one depth.
struct DepthCell {
  double depth = 0;
  std::vector<double> reaches;   ///< of the seeds that were trained for it, ascending
  std::size_t absent_seeds = 0;  ///< the others, which reach at most what they had before
  double reach = 0;              ///< of all seeds, by the choice
  /// The choice could be larger if the censored seeds were asked for more.
  bool censored = false;
  std::size_t censored_seeds = 0;
  /// Not censored, but the choice could be larger if the unsettled seeds were trained on.
  bool unsettled = false;
  std::size_t unsettled_seeds = 0;
  /// The choice could be smaller, since absent seeds reach at most what is counted for them.
  bool undetermined = false;
  /// A seed that is neither censored nor unsettled has the reach: it is at least that.
  bool at_least = false;

  std::size_t seeds() const { return reaches.size() + absent_seeds; }
  /// Whether it may be fitted: nothing could change the choice, and it has a logarithm.
  bool fitted() const { return !censored && !unsettled && !undetermined && reach >= 1; }
};
/// One cell per depth, ascending. The best is censored when a censored seed reaches as far as all
/// others; the median when it changes as censored seeds move up. The same of unsettled seeds.
std::vector<DepthCell> depth_cells(const std::vector<DepthPoint>& points, SeedChoice choice);

/// From the 2.5th to the 97.5th percentile.
struct Percentiles {
  double low = 0, high = 0;
};

/// Precondition: at least one value.
Percentiles percentiles(std::vector<double> values);

/// d = a x + b, fitted both ways, x = log2 of the reach or the reach itself.
struct CurveFit {
  LeastSquares direct;  ///< d on x
  /// x on d, solved for d: another line unless r2 = 1. Absent where x does not depend on d at all.
  std::optional<std::pair<double, double>> inverse;  ///< a and b
  std::optional<Percentiles> a, b;                   ///< of `direct`, over resampled seeds
  std::vector<std::pair<double, double>> resampled;  ///< a and b of every resample

  /// Of the depths that the resampled lines have at x. Absent without resamples.
  std::optional<Percentiles> depths_at(double x) const;
};

/// A smaller difference of AICc says little.
inline constexpr double kTellingAic = 2;

enum class GrowthCurve { logarithmic, linear, undecided };
const char* growth_curve_name(GrowthCurve curve);

struct DepthFit {
  SeedChoice choice = SeedChoice::best;
  std::vector<DepthCell> cells;
  std::size_t censored_depths = 0;                         ///< of `cells`, never fitted
  std::size_t censored_points = 0;                         ///< of all seeds
  std::size_t unsettled_depths = 0, unsettled_points = 0;  ///< likewise
  std::size_t undetermined_depths = 0;  ///< others, never fitted: too many seeds are absent
  std::size_t zero_depths = 0;          ///< others that reach less than 1, which has no log
  std::size_t fitted_depths = 0;        ///< that may be fitted, also where they are too few

  std::string refusal;  ///< why there is no law, a phrase that begins with that; else empty
  CurveFit logarithmic, linear;
  /// The curve with the smaller sum of squared residuals of d. Both have two parameters, so AIC, AICc
  /// and BIC decide alike. Undecided where the sums agree.
  GrowthCurve preferred = GrowthCurve::undecided;
  /// AICc of the linear curve minus that of the logarithmic one, which is the difference of AIC, since
  /// what corrects for few points is the same for both; infinite where one is exact.
  double aic_difference = 0;

  std::size_t resamples = 0;         ///< of kResamples, those that could be fitted
  std::size_t logarithmic_wins = 0;  ///< of `resamples`
  std::size_t several_seeds = 0;     ///< depths with more than one seed; 0: no interval

  bool fitted() const { return refusal.empty(); }
  /// Whether one law is closer by more than what says little.
  bool telling() const {
    return preferred != GrowthCurve::undecided && std::fabs(aic_difference) >= kTellingAic;
  }
  /// The law to be shown: the logarithmic one, unless the linear one is closer by a telling difference.
  bool shows_line() const { return preferred == GrowthCurve::linear && telling(); }
  const CurveFit& shown() const { return shows_line() ? linear : logarithmic; }
};

inline constexpr std::size_t kResamples = 1000;
/// Depths that a law needs: with two parameters and a variance, AICc has no value for fewer.
inline constexpr std::size_t kFewestDepths = 5;

/// Fits both curves to the depths that are neither censored, unsettled nor undetermined and reach at
/// least 1; with several seeds at some depth, resamples whole networks, each with all of its depths,
/// among those that have the same depths. Refuses fewer than kFewestDepths such depths, and fewer
/// than two different reaches. The same points and seed give the same bits.
DepthFit fit_depth(const std::vector<DepthPoint>& points, SeedChoice choice,
                   std::uint64_t seed = 1);

/// A series of widths at one depth: reach = a log2 w + b (MS25 section 7).
struct WidthFit {
  std::vector<DepthCell> cells;                           ///< of log2 w
  std::size_t censored_widths = 0, unsettled_widths = 0;  ///< never fitted
  std::string refusal;                                    ///< as in DepthFit
  LeastSquares line;
  bool fitted() const { return refusal.empty(); }
};
/// `points`: as depths log2 of the widths. Refuses fewer than kFewestDepths uncensored widths.
WidthFit fit_width(const std::vector<DepthPoint>& points, SeedChoice choice);

}  // namespace logdepth::inline learned_report
