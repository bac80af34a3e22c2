#include "learned/report/depth_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/phrases.hpp"
#include "learned/report/distinct_runs.hpp"

namespace logdepth::inline learned_report {
namespace {

bool small_by_budget(const LearnedSeries& series) {
  return std::all_of(series.points.begin(), series.points.end(), [](const RunPoint& point) {
    return point.unfinished && !point.point.censored && point.point.reach <= kSmallReach;
  });
}

/// No network came to the end of its curriculum: more steps may have taken each further.
bool never_finished(const LearnedSeries& series) {
  return std::all_of(series.points.begin(), series.points.end(),
                     [](const RunPoint& point) { return point.unfinished; });
}

DepthFit fit_series(const LearnedSeries& series, SeedChoice choice, std::uint64_t seed) {
  DepthFit fit = fit_depth(series.depth_points(), choice, seed);
  if (fit.fitted() && small_by_budget(series))
    fit.refusal = fmt::format(
        "no law: no depth reaches more than {} and no curriculum was finished: the budget was "
        "measured, "
        "not the depth",
        static_cast<int>(kSmallReach));
  return fit;
}

std::size_t ended_early(const LearnedSeries& series) {
  return static_cast<std::size_t>(
      std::count_if(series.points.begin(), series.points.end(),
                    [](const RunPoint& p) { return p.ended_early && !p.point.censored; }));
}

/// The status of networks whose training the budget ended, not the task.
CellStatus unfinished_status(const LearnedSeries& series) {
  using Trend = LearningCurve::Trend;
  const auto any = [&](Trend trend) {
    return std::any_of(series.points.begin(), series.points.end(),
                       [&](const RunPoint& point) { return point.trend == trend; });
  };
  if (any(Trend::rising)) return CellStatus::still_rising;
  if (any(Trend::falling)) return CellStatus::falling;
  return any(Trend::unknown) ? CellStatus::budget_limited : CellStatus::flat;
}

CellStatus status_of(const LearnedSeries& series, const DepthFit& fit) {
  if (small_by_budget(series) || ended_early(series) > 0 || never_finished(series))
    return unfinished_status(series);
  return fit.fitted() ? CellStatus::measured : CellStatus::not_fitted;
}

std::vector<std::string> notes_of(const LearnedSeries& series, const DepthFit& fit) {
  std::vector<std::string> notes;
  if (!series.setting.empty()) notes.push_back(series.setting);
  if (!fit.fitted()) notes.push_back(fit.refusal);
  if (fit.zero_depths > 0)
    notes.push_back(share_text(fit.zero_depths, fit.cells.size()) + " depths reach less than 1");
  if (const std::size_t early = ended_early(series); early > 0)
    notes.push_back(share_text(early, series.points.size()) +
                    " points from runs that ended before " + "their steps were done");
  std::set<std::size_t> unfinished;
  for (const RunPoint& point : series.points)
    if (point.unfinished) unfinished.insert(point.run);
  if (!unfinished.empty())
    notes.push_back("curriculum not finished in " +
                    share_text(unfinished.size(), series.runs.size()) + " runs");
  if (fit.fitted()) {
    if (fit.several_seeds == 0) {
      notes.emplace_back("one seed per depth: no interval");
    } else if (fit.several_seeds < fit.cells.size()) {
      notes.push_back("several seeds at " + share_text(fit.several_seeds, fit.cells.size()) +
                      " depths only, so the interval is too narrow");
    }
  }
  if (fit.unsettled_points > 0)
    notes.push_back(share_text(fit.unsettled_points, series.points.size()) +
                    " points had not plateaued");
  if (series.diverged > 0)
    notes.push_back(counted(series.diverged, "more run") + " diverged: a failure, no reach");
  const auto brief =
      static_cast<std::size_t>(std::ranges::count_if(series.runs, &SeriesRun::brief));
  if (brief > 0)
    notes.push_back(fmt::format("{} cannot plateau: fewer steps than twice training.curve_first",
                                share_text(brief, series.runs.size()) + " runs"));
  std::size_t fewest = series.runs.size();
  for (const DepthCell& cell : fit.cells) fewest = std::min(fewest, cell.reaches.size());
  if (series.by_loops && fewest < series.runs.size())
    notes.push_back(fmt::format("the largest numbers of iterations were measured in {} runs only",
                                share_text(fewest, series.runs.size())));
  return notes;
}

std::optional<TokenGrowth> token_growth(const std::vector<SeriesRun>& runs) {
  std::vector<double> factors;
  for (const SeriesRun& run : runs)
    if (const auto factor = tokens_per_doubling(run.passed)) factors.push_back(*factor);
  const auto range = report::range_of(factors);
  return range ? std::optional(TokenGrowth{*range, runs.size()}) : std::nullopt;
}

LearnedRow row_of(const LearnedSeries& series, std::uint64_t seed) {
  LearnedRow row;
  row.series = series;
  row.best = fit_series(series, SeedChoice::best, seed);
  row.median = fit_series(series, SeedChoice::median, seed);
  row.status = status_of(series, row.law());
  if (small_by_budget(series)) {
    row.verdict.reason = "the budget was measured, not the depth";
  } else {
    row.verdict = law_verdict(series, row.law());
    if (row.law().choice == SeedChoice::median)
      row.verdict.reason += ", of the median seed; the best one has not plateaued";
  }
  row.tokens = token_growth(series.runs);
  if (series.by_loops)
    for (std::size_t run = 0; run < series.runs.size(); ++run)
      row.run_fits.push_back(fit_depth(series.depth_points(run), SeedChoice::best, seed));
  row.notes = notes_of(series, row.best);
  return row;
}

/// Whether a problem is about graphs; all others are about words.
constexpr const char* kGraphs = "reachability";

DepthProblem& problem_named(DepthTable& table, const std::string& name,
                            const std::vector<PublishedLine>& published) {
  const auto found = std::find_if(table.problems.begin(), table.problems.end(),
                                  [&](const DepthProblem& p) { return p.name == name; });
  if (found != table.problems.end()) return *found;
  DepthProblem problem;
  problem.name = name;
  problem.size =
      name == kGraphs ? "distance h (of constructions: n = h + 1 vertices)" : "n letters";
  for (const PublishedLine& line : published)
    if (line.of == PublishedLine::Of::depth && line.problem == name) problem.published = line;
  return table.problems.emplace_back(std::move(problem));
}

}  // namespace

const char* form_label(ConstructedCurve::Form form) {
  return form == ConstructedCurve::Form::claimed    ? "theorem as claimed"
         : form == ConstructedCurve::Form::repaired ? "repaired"
                                                    : "optimised";
}

const char* status_label(CellStatus status) {
  switch (status) {
    case CellStatus::measured:
      return "measured";
    case CellStatus::still_rising:
      return trend_name(LearningCurve::Trend::rising);
    case CellStatus::falling:
      return trend_name(LearningCurve::Trend::falling);
    case CellStatus::flat:
      return trend_name(LearningCurve::Trend::flat);
    case CellStatus::budget_limited:
      return "budget-limited";
    case CellStatus::not_fitted:
      return "not fitted";
  }
  return "";
}

DepthTable depth_table(const std::vector<RunRecord>& all,
                       const std::vector<ConstructedCurve>& constructed,
                       const std::vector<PublishedLine>& published, std::uint64_t seed) {
  DepthTable table;
  const auto [records, repeated] = distinct_runs(all);
  table.records = all.size();
  table.repeated_runs = repeated;
  table.constructed_runs = static_cast<std::size_t>(
      std::count_if(records.begin(), records.end(),
                    [](const RunRecord& record) { return record.config.constructed.has_value(); }));
  for (const ConstructedCurve& curve : constructed)
    problem_named(table, curve.problem, published).constructed.push_back(curve);
  for (const LearnedSeries& series : depth_series(records))
    problem_named(table, series.problem, published).learned.push_back(row_of(series, seed));
  for (const LearnedWidths& series : width_series(records))
    table.widths.push_back({series, fit_width(series.width_points(), SeedChoice::best)});
  for (const PublishedLine& line : published)
    if (line.of == PublishedLine::Of::width && !table.published_widths)
      table.published_widths = line;
  return table;
}

}  // namespace logdepth::inline learned_report
