#pragma once

#include <string>

#include "learned/report/depth_points.hpp"
#include "learned/report/line_fit.hpp"

namespace logdepth::inline learned_report {

/// What a series says about the law of its depth.
struct LawVerdict {
  enum class Law {
    logarithmic,
    /// The linear law is closer, or deeper networks reach no further; from flat points of kSeedsAsked
    /// seeds at every depth that was fitted, and from nothing less.
    not_logarithmic,
    open
  };
  Law law = Law::open;
  std::string reason;   ///< "the linear law is closer, AIC better by 9.01"
  std::string missing;  ///< what "not logarithmic" would need; empty where it is not in question
};

/// `fit`: of the series.
LawVerdict law_verdict(const LearnedSeries& series, const DepthFit& fit);
/// "logarithmic", "not logarithmic" or "open".
const char* law_name(LawVerdict::Law law);
/// "logarithmic: ...", "not logarithmic: ...", "open: ...; ...".
std::string verdict_text(const LawVerdict& verdict);

}  // namespace logdepth::inline learned_report
