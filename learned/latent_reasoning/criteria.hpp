#pragma once

#include <cstdint>
#include <vector>

#include "learned/latent_reasoning/runs.hpp"
#include "report/criterion.hpp"

namespace logdepth::latent {

/// The acceptance criteria LO-3 to LO-6 of the specification of latent-space reasoning (section 9),
/// judged by medians over seeds. Of methods with several series the best one is compared with.

/// LO-3, on graphs of the largest training size and of twice that: what is fully solved of a discrete
/// series; it is at least what the continuous method solves, and that at least what both methods that
/// are trained end to end do, which solve little. Methods are compared at equal steps, and one that does
/// not solve kSolvedBefore of the graphs of training sizes is not judged beyond them.
inline constexpr double kSolvedBefore = 0.9;
inline constexpr report::Threshold kSolvedTrained{report::Threshold::Is::at_least, 0.95},
    kSolvedTwice{report::Threshold::Is::at_least, 0.8},
    kEndToEndTwice{report::Threshold::Is::at_most, 0.2};
/// LO-4: how far the slope of iterations on depth may be from 1, over solved graphs of all cells.
inline constexpr report::Threshold kSlopeRange{report::Threshold::Is::at_most, 0.15};
/// LO-5: share of the nodes that were hit by an error and are right in the end, at the largest
/// training size; more than without correction. Nine tenths of all nodes are right if nothing is
/// mended at all.
inline constexpr report::Threshold kRecovered{report::Threshold::Is::at_least, 0.8};
/// LO-6: what is solved without depths as a share of what the continuous method solves, and the size at
/// which that is judged.
inline constexpr report::Threshold kNoOracleShare{report::Threshold::Is::at_least, 0.8};
inline constexpr std::uint32_t kNoOracleNodes = 12;

/// All of them. A criterion about a method that was not run is there, undecided.
std::vector<report::Criterion> criteria_of(const Section& section);
/// The thresholds as the report has them.
report::Data thresholds();

}  // namespace logdepth::latent
