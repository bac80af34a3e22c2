#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/relit/relit_runs.hpp"
#include "learned/report/criterion.hpp"
#include "learned/report/verdict.hpp"

namespace logdepth {

/// The acceptance criteria of the specification of ReLIT (section 7). RL-4 to RL-6 are judged by
/// means over seeds; two series are compared seed by seed.

/// RL-4: accuracy on proofs up to this depth, above one pass, and how much a macro step may lose.
inline constexpr std::uint32_t kGainDepth = 3;
inline constexpr double kGain = 0.03, kFall = 0.01;

struct GainVerdict {
  std::optional<SeedMean> gain;    ///< above the best one-pass block of equal parameters
  std::vector<double> after_step;  ///< accuracy after each macro step of training

  /// The largest loss from a macro step to a later one; absent of one step.
  std::optional<double> fall() const;
  Verdict gains() const;  ///< at least .03
  Verdict holds() const;  ///< the fall is at most .01
  Verdict verdict() const { return overall({gains(), holds()}); }
};
GainVerdict judge_gain(const RelitSection& section, const RelitSeries& base);

/// RL-5: Spearman's coefficient of mean halting depth and proof depth is above 0.
struct HaltingVerdict {
  std::vector<std::pair<std::uint32_t, double>> points;  ///< proof depth, mean macro step
  bool may_halt = false;                                 ///< before the last macro step

  /// Absent where it does not vary, or there are fewer than two depths.
  std::optional<double> correlation() const;
  /// Failed where it is the same at all of several depths, undecided where it has to be.
  Verdict verdict() const;
};
HaltingVerdict judge_halting(const RelitSeries& series);

/// RL-6: accuracy less that on the output of the embedding, and that on states of random weights,
/// is above 0.
struct BottleneckVerdict {
  std::optional<SeedMean> embedding, random;
  Verdict below_embedding() const;
  Verdict below_random() const;
  Verdict verdict() const { return overall({below_embedding(), below_random()}); }
};
BottleneckVerdict judge_bottleneck(const RelitSection& section, const RelitSeries& base);

/// RL-4 to RL-6 of every base of a section with proofs; where there is none, all undecided.
std::vector<SeriesCriterion> relit_criteria(const RelitSection& section);

/// A criterion that tests hold, and no trained runs.
struct TestedCriterion {
  const char *name, *asks, *held_by;
};
const std::vector<TestedCriterion>& relit_tested_criteria();

/// Accuracy of one series less that of another, seed by seed; absent without a common seed.
std::optional<SeedMean> accuracy_difference(const RelitSeries& ours, const RelitSeries& other);

}  // namespace logdepth
