#include "learned/report/law_verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::inline learned_report {
namespace {

using Trend = LearningCurve::Trend;

/// Depths at which nothing is open: neither the question nor the budget.
std::vector<const DepthCell*> settled_cells(const DepthFit& fit) {
  std::vector<const DepthCell*> cells;
  for (const DepthCell& cell : fit.cells)
    if (!cell.censored && !cell.unsettled && !cell.undetermined) cells.push_back(&cell);
  return cells;
}

/// Empty where every settled depth has flat points of enough seeds.
std::string missing_evidence(const LearnedSeries& series, const DepthFit& fit) {
  const std::vector<const DepthCell*> cells = settled_cells(fit);
  std::size_t points = 0, flat = 0, without_curve = 0, enough = 0;
  for (const DepthCell* cell : cells) {
    std::set<std::uint64_t> seeds;
    for (const RunPoint& point : series.points) {
      if (point.point.depth != cell->depth) continue;
      ++points;
      if (point.trend == Trend::unknown) ++without_curve;
      if (point.trend != Trend::flat || point.point.censored) continue;
      ++flat;
      seeds.insert(point.point.seed);
    }
    if (seeds.size() >= report::kSeedsAsked) ++enough;
  }
  if (enough == cells.size()) return "";
  return fmt::format(
      "\"not logarithmic\" needs plateaued points of {} seeds at every depth: {} depths have them, "
      "{} "
      "points "
      "are plateaued{}",
      report::kSeedsAsked, share_text(enough, cells.size()), share_text(flat, points),
      without_curve > 0 ? fmt::format(" and {} have no learning curve", without_curve) : "");
}

std::string closer_by(const DepthFit& fit) {
  const double difference = std::fabs(fit.aic_difference);
  return std::isinf(difference) ? "exactly" : "AICc better by " + fixed_text(difference, 2);
}

LawVerdict against(const LearnedSeries& series, const DepthFit& fit, const std::string& reason) {
  LawVerdict verdict{LawVerdict::Law::not_logarithmic, reason, missing_evidence(series, fit)};
  if (!verdict.missing.empty()) verdict.law = LawVerdict::Law::open;
  return verdict;
}

}  // namespace

LawVerdict law_verdict(const LearnedSeries& series, const DepthFit& fit) {
  using Law = LawVerdict::Law;
  const auto cells = settled_cells(fit);
  if (cells.size() >= kFewestDepths && cells.back()->reach <= cells.front()->reach)
    return against(series, fit, "the deepest networks reach no further than the shallowest");
  if (!fit.fitted()) return {Law::open, fit.refusal, ""};
  if (fit.logarithmic.direct.a <= 0) return against(series, fit, "depth falls with the size");
  if (fit.preferred == GrowthCurve::undecided)
    return {Law::open, "both laws are equally close", ""};
  if (fit.preferred == GrowthCurve::logarithmic)
    return {fit.telling() ? Law::logarithmic : Law::open,
            "the logarithmic law is closer, " + closer_by(fit), ""};
  const std::string linear = "the linear law is closer, " + closer_by(fit);
  if (!fit.telling()) return {Law::open, linear, ""};
  return against(series, fit, linear);
}

const char* law_name(LawVerdict::Law law) {
  return law == LawVerdict::Law::logarithmic       ? "logarithmic"
         : law == LawVerdict::Law::not_logarithmic ? "not logarithmic"
                                                   : "open";
}

std::string verdict_text(const LawVerdict& verdict) {
  return std::string(law_name(verdict.law)) + ": " + verdict.reason +
         (verdict.missing.empty() ? "" : "; " + verdict.missing);
}

}  // namespace logdepth::inline learned_report
