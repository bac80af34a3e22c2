#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learned/encode_think_decode/runs.hpp"
#include "learned/language_model/model_measurements.hpp"
#include "report/criterion.hpp"

namespace logdepth::etd {

/// The acceptance criteria ETD-3 to ETD-5 of the specification of Encode-Think-Decode (section 9).
/// (ETD-1 and ETD-2 are identities of models, held by tests.)

/// ETD-4: how many standard errors the gain must have, how much recall may change.
inline constexpr double kStandardErrors = 2, kRecallChange = 0.02;

/// ETD-4 on the chosen cut: two and three passes of the block against one.
struct EffectVerdict {
  std::optional<Change> two, three;  ///< of the compositional kinds
  std::optional<Change> recall;      ///< under the better of them

  /// 2 or 3, of which the accuracy is larger; of equal ones 2.
  std::uint32_t better() const;
  const std::optional<Change>& best() const { return better() == 3 ? three : two; }
  /// More than 0 and at least two standard errors, over at least kSeedsAsked seeds. Failed only if
  /// both were measured.
  report::Verdict gains() const;
  report::Verdict keeps_recall() const;  ///< by less than two points either way
  report::Verdict verdict() const { return report::overall({gains(), keeps_recall()}); }
};
EffectVerdict judge_effect(const Section& section);

/// ETD-3: what the curves of models say, a base of ours among them.
report::Criterion cut_criterion(const std::vector<AngularDistances>& measured);
/// ETD-4, and ETD-5 for every adaptive series, or undecided without one.
std::vector<report::Criterion> criteria_of(const Section& section);

}  // namespace logdepth::etd
