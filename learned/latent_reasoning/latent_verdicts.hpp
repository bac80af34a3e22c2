#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/latent_reasoning/latent_runs.hpp"
#include "report/criterion.hpp"

namespace logdepth {

/// The acceptance criteria LO-3 to LO-6 of the specification of latent-space reasoning (section 9)
/// as functions of medians over seeds.

/// LO-3, on graphs of the largest training size and of twice that.
inline constexpr double kSolvedTrained = 0.95, kSolvedTwice = 0.8, kEndToEndTwice = 0.2;
/// LO-4: how far the slope of iterations on depth may be from 1.
inline constexpr double kSlopeRange = 0.15;
/// LO-5: share of the nodes that were hit by an error and are right in the end.
inline constexpr double kRecovered = 0.8;
/// LO-6: as a share of what the method with depths solves, and the size at which that is judged.
inline constexpr double kNoOracleShare = 0.8;
inline constexpr std::uint32_t kNoOracleNodes = 12;

/// LO-3 of a discrete series. Of methods with several series the best at twice the size.
struct SizeVerdict {
  std::optional<report::Range> trained, twice, four_times;           ///< of the discrete series
  std::optional<report::Range> continuous, feed_forward, recurrent;  ///< at twice the size

  report::Verdict at_trained() const;  ///< at least .95
  report::Verdict at_twice() const;    ///< at least .8
  /// Discrete >= continuous >= both methods that are trained end to end.
  report::Verdict order() const;
  /// At most .2 of both.
  report::Verdict end_to_end() const;
  report::Verdict verdict() const {
    return report::overall({at_trained(), at_twice(), order(), end_to_end()});
  }
};
SizeVerdict judge_sizes(const LatentSection& section, const LatentSeries& discrete);

/// LO-4 of a series that iterates until nothing changes, over solved graphs of all cells.
struct SlopeVerdict {
  std::optional<report::Range> slope;
  /// Within .15 of 1.
  report::Verdict verdict() const;
};

/// LO-5 of a corrected series, at the largest training size. The nodes whose values were replaced
/// are judged: nine tenths of all nodes are right if nothing is mended at all.
struct RecoveryVerdict {
  std::optional<report::Range> corrected, discrete;  ///< the best discrete series
  report::Verdict recovers() const;                  ///< at least .8
  report::Verdict beats_discrete() const;            ///< more than without correction
  report::Verdict verdict() const { return report::overall({recovers(), beats_discrete()}); }
};
RecoveryVerdict judge_recovery(const LatentSection& section, const LatentSeries& corrected);

/// LO-6 of a series without depths: fully solved graphs of 12 nodes against the best series of the
/// continuous method.
struct NoOracleVerdict {
  std::optional<report::Range> without, with;
  /// Of medians; absent where one is, or where there is nothing to divide by.
  std::optional<double> share() const;
  report::Verdict verdict() const;  ///< at least .8
};
NoOracleVerdict judge_no_oracle(const LatentSection& section, const LatentSeries& without,
                                std::uint32_t nodes = kNoOracleNodes);

/// The cell of a section's training graphs with `times` times the nodes of the largest of them.
GraphCell trained_cell(const LatentSection& section, std::uint32_t times);

/// All of them. A criterion about a method that was not run is there, undecided.
std::vector<report::Criterion> latent_criteria(const LatentSection& section);

/// "0.990 (0.980 to 1.000)", the range where there are several seeds; "not measured".
std::string range_text(const std::optional<report::Range>& range);

}  // namespace logdepth
