#include "learned/depth_recurrent/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/depth_recurrent/hop_task.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

std::string numbers_text(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers) texts.push_back(std::to_string(number));
  return joined(texts);
}

std::string missing_text(const FrontierVerdict& frontier) {
  std::string text;
  if (!frontier.missing_loops.empty())
    text += "; not measured: T = " + numbers_text(frontier.missing_loops);
  if (!frontier.missing_hops.empty())
    text += "; not measured: hops " + numbers_text(frontier.missing_hops);
  return text;
}

void add_hop_criteria(const RecurrentSubject& subject, const AccuracyHeatmap& heatmap,
                      std::size_t samples, std::vector<HeatmapCriterion>& criteria) {
  const FrontierVerdict frontier = judge_frontier(heatmap, samples);
  criteria.push_back(
      {"DR-1 solved", "at least .95 at all hops up to min(T, 5), T in {1, 2, 3, 5, 8}",
       frontier.solved(), counted(frontier.solved_cells, "cell"), frontier.unsolved});
  if (!frontier.unsolved.empty())
    criteria.back().measured += "; below: " + cells_text(subject, frontier.unsolved);
  criteria.back().measured += missing_text(frontier);
  criteria.push_back({"DR-1 chance",
                      "within .06 of one half at all hops beyond T, which holds for all weights",
                      frontier.chance(), counted(frontier.chance_cells, "cell"), frontier.leaks});
  std::string& measured = criteria.back().measured;
  if (!frontier.leaks.empty()) measured += "; outside: " + cells_text(subject, frontier.leaks);
  if (samples < kGraphsOfChance)
    measured +=
        fmt::format("; the limit is for {} graphs a cell, there are {}", kGraphsOfChance, samples);
  const ExtrapolationVerdict beyond = judge_extrapolation(heatmap);
  criteria.push_back(
      {"DR-2",
       "at least .9 of 6 hops at T = 12",
       beyond.verdict(),
       "6 hops " + accuracy_text(beyond.six) + ", 8 hops " + accuracy_text(beyond.eight),
       {}});
}

void add_expression_criteria(const RecurrentSubject& subject, const AccuracyHeatmap& heatmap,
                             std::vector<HeatmapCriterion>& criteria) {
  const ExpressionVerdict verdict = judge_expressions(heatmap);
  std::vector<std::string> shallow;
  for (std::uint32_t depth = 1; depth <= kShallow; ++depth)
    shallow.push_back(
        fmt::format("{}: {}", depth, accuracy_text(heatmap.at(depth, kExpressionLoops))));
  criteria.push_back({"DR-4 solved", "at least .9 of depths 1 to 4 at T = 8", verdict.solved(),
                      "depth " + joined(shallow), verdict.unsolved});
  criteria.push_back({"DR-4 non-decreasing", "no depth falls by more than .03 as T grows",
                      verdict.non_decreasing(),
                      verdict.fallen.empty() ? "none falls" : cells_text(subject, verdict.fallen),
                      verdict.fallen});
  criteria.push_back({"DR-4 deep",
                      "more than .7 of depth 8 at T = 8",
                      verdict.deep_verdict(),
                      accuracy_text(verdict.deep),
                      {}});
}

bool judged_as_twins(const RecurrentSeries& series) {
  const auto* graphs = series.base().config.task.try_as<HopTaskConfig>();
  return graphs && graphs->generator == HopGenerator::twin && graphs->masked;
}

/// Whether the base learns from the answer after the last step alone, as the criteria mean it.
bool silent(const RecurrentSeries& series) {
  return series.base().config.training.supervision == TrainingConfig::Supervision::last;
}

}  // namespace

std::string accuracy_text(const std::optional<double>& accuracy) {
  return accuracy ? fixed_text(*accuracy, 3) : "not measured";
}

std::string cells_text(const RecurrentSubject& subject, const std::vector<HeatmapCell>& cells) {
  std::vector<std::string> texts;
  for (const HeatmapCell& cell : cells)
    texts.push_back(fmt::format("{} at T = {} ({})", subject.difficulty(cell.difficulty),
                                cell.loops, fixed_text(cell.accuracy, 3)));
  return joined(texts);
}

std::string line_text(double a, double b) {
  return fmt::format("{} T {} {}", fixed_text(a, 2), b < 0 ? "-" : "+", fixed_text(std::abs(b), 2));
}

std::vector<HeatmapCriterion> criteria_of(const RecurrentSeries& series,
                                          const AccuracyHeatmap& heatmap, std::size_t samples) {
  std::vector<HeatmapCriterion> criteria;
  if (!silent(series)) return criteria;
  if (judged_as_twins(series)) add_hop_criteria(series.subject, heatmap, samples, criteria);
  if (series.subject.name == "expressions")
    add_expression_criteria(series.subject, heatmap, criteria);
  if (series.subject.name == "families") {
    const FamilyVerdict verdict = judge_families(heatmap);
    criteria.push_back(
        {"DR-5",
         "depth 3 gains at least .05 from T = 1 to T = 4",
         verdict.verdict(),
         "T = 1: " + accuracy_text(verdict.one) + ", T = 4: " + accuracy_text(verdict.four),
         {}});
  }
  return criteria;
}

std::string not_judged(const RecurrentSeries& series) {
  if (series.subject.unit == "hops" && !judged_as_twins(series))
    return "DR-1 and DR-2 are about `twin` under the mask and not judged here.";
  const char* criteria = series.subject.unit == "hops"          ? "DR-1 and DR-2 are"
                         : series.subject.name == "expressions" ? "DR-4 is"
                                                                : "DR-5 is";
  return fmt::format(
      "{} about the loss after the last step and not judged here: the base has "
      "training.supervision=mean-steps.",
      criteria);
}

std::optional<SupervisionComparison> supervision_comparison(
    const std::vector<RecurrentSeries>& all) {
  const auto natural = std::ranges::find_if(
      all, [](const RecurrentSeries& series) { return series.subject.name == "graphs-natural"; });
  if (natural == all.end()) return std::nullopt;
  SupervisionComparison comparison;
  const auto add = [&](const RecurrentRunGroup& group) {
    auto& outcomes = group.config.training.supervision == TrainingConfig::Supervision::last
                         ? comparison.last
                         : comparison.mean_steps;
    for (const RecurrentRun& run : group.runs)
      outcomes.push_back(supervision_outcome(run.seed, run.heatmap));
  };
  add(natural->base());
  for (const RecurrentRunGroup* group : natural->of(RecurrentAblation::supervision)) add(*group);
  comparison.verdict = judge_supervision(comparison.last, comparison.mean_steps);
  return comparison;
}

HeatmapReading read_heatmap(const AccuracyHeatmap& heatmap, const TrainedRange& trained) {
  HeatmapReading reading;
  reading.largest_solved = largest_solved(heatmap, kSolved);
  reading.fit = fit_frontier(heatmap, kSolved);
  reading.trained = heatmap.at(trained.hardest, trained.most);
  for (const double lost : overthinking(heatmap))
    reading.overthinking = std::max(reading.overthinking, lost);
  return reading;
}

}  // namespace logdepth::inline learned_depth_recurrent
