#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learned/encode_think_decode/runs.hpp"
#include "learned/language_model/model_measurements.hpp"
#include "report/criterion.hpp"

namespace logdepth::etd {

/// The acceptance criteria ETD-3 to ETD-5 of the specification of Encode-Think-Decode (section 9), and
/// ETD-6 and ETD-7, what the paper says of layers of their own and of the place of the block.
/// (ETD-1 and ETD-2 are identities of models, held by tests.)

/// ETD-4: how many standard errors the gain must have, how much recall may change, how many seeds it
/// takes.
inline constexpr double kStandardErrors = 2, kRecallChange = 0.02;
inline constexpr std::size_t kEffectSeeds = 5;
/// ETD-5: a router that passes the block once at nearly every token adapts nothing.
inline constexpr double kMeanPasses = 1.5;

/// ETD-4 on the chosen cut: two and three passes of the block against one.
struct EffectVerdict {
  std::optional<Change> two, three;  ///< of the compositional kinds
  std::optional<Change> recall;      ///< under the better of them

  /// 2 or 3, of which the accuracy is larger; of equal ones 2.
  std::uint32_t better() const;
  const std::optional<Change>& best() const { return better() == 3 ? three : two; }
  /// One, two and three passes are never less accurate than fewer, and three are more accurate than one
  /// by at least two standard errors, over at least kEffectSeeds seeds. Failed only if both were measured.
  report::Verdict gains() const;
  report::Verdict keeps_recall() const;  ///< by less than two points either way
  report::Verdict verdict() const { return report::overall({gains(), keeps_recall()}); }
};
EffectVerdict judge_effect(const Section& section);

/// ETD-3: what the curves of models say, a base of ours among them.
report::Criterion cut_criterion(const std::vector<AngularDistances>& measured);
/// ETD-4, ETD-5 for every adaptive series, or undecided without one, ETD-6 and ETD-7.
std::vector<report::Criterion> criteria_of(const Section& section);

}  // namespace logdepth::etd
