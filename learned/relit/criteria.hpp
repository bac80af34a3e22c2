#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "learned/relit/runs.hpp"
#include "report/criterion.hpp"

namespace logdepth::relit {

/// The acceptance criteria of the specification of ReLIT (section 7). RL-4 to RL-6 are judged by
/// means over seeds; two series are compared seed by seed.

/// RL-4: accuracy on proofs up to this depth above the best one-pass block of equal parameters, and
/// how much a macro step may lose of the best before it.
inline constexpr std::uint32_t kGainDepth = 3;
inline constexpr report::Threshold kGain{report::Threshold::Is::at_least, 0.03};
inline constexpr report::Threshold kFall{report::Threshold::Is::at_most, 0.01};
/// RL-5: Spearman's coefficient of mean halting depth and proof depth. RL-6: accuracy less that on
/// the output of the embedding, and that on states of random weights.
inline constexpr report::Threshold kMore{report::Threshold::Is::above, 0};

/// The largest loss from a macro step to a later one; absent of one step.
std::optional<double> largest_fall(const std::vector<double>& after_step);
/// Proof depths and mean macro steps of the halt.
using Halts = std::vector<std::pair<std::uint32_t, double>>;
Halts mean_halts(const Series& series);
/// Absent where it does not vary, or there are fewer than two depths.
std::optional<double> halting_correlation(const Halts& halts);
/// Failed where the halt is the same at all of several depths, undecided where it has to be.
report::Verdict judge_halting(const Halts& halts, bool may_halt);

/// Accuracy of one series less that of another, seed by seed; absent without a common seed.
std::optional<report::Mean> accuracy_difference(const Series& ours, const Series& other);

/// RL-4 to RL-6 of every base of a section with proofs; where there is none, all undecided.
std::vector<report::Criterion> criteria_of(const Section& section);

/// The thresholds, and the criteria that tests hold and no trained runs, as the report has them.
report::Data thresholds();
report::Data tested_criteria();

}  // namespace logdepth::relit
