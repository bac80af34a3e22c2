#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace logdepth::inline learned_depth_recurrent {
namespace {

constexpr std::array<std::uint32_t, 5> kJudgedLoops = {1, 2, 3, 5, 8};
constexpr std::uint32_t kExtrapolationLoops = 12;
constexpr std::uint32_t kMostLoops = 20, kShortcutHops = 12;
bool contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

template <class Value>
std::optional<double> median_of(const std::vector<SupervisionOutcome>& outcomes, Value value) {
  std::vector<double> values;
  for (const SupervisionOutcome& outcome : outcomes)
    if (const std::optional<double> found = value(outcome)) values.push_back(*found);
  return report::median(std::move(values));
}

}  // namespace

report::Verdict FrontierVerdict::solved() const {
  if (!unsolved.empty()) return report::Verdict::failed;
  return missing_loops.empty() && missing_hops.empty() ? report::Verdict::passed
                                                       : report::Verdict::undecided;
}

report::Verdict FrontierVerdict::chance() const {
  if (graphs < kGraphsOfChance) return report::Verdict::undecided;
  if (!leaks.empty()) return report::Verdict::failed;
  return missing_loops.empty() && chance_cells > 0 ? report::Verdict::passed
                                                   : report::Verdict::undecided;
}

FrontierVerdict judge_frontier(const AccuracyHeatmap& heatmap, std::size_t graphs) {
  FrontierVerdict verdict;
  verdict.graphs = graphs;
  for (std::uint32_t hops = 1; hops <= kTrainedHops; ++hops)
    if (!contains(heatmap.difficulties, hops)) verdict.missing_hops.push_back(hops);
  for (const std::uint32_t loops : kJudgedLoops) {
    if (!contains(heatmap.loops, loops)) {
      verdict.missing_loops.push_back(loops);
      continue;
    }
    for (const std::uint32_t hops : heatmap.difficulties) {
      const HeatmapCell cell{hops, loops, *heatmap.at(hops, loops)};
      if (hops > loops) {
        ++verdict.chance_cells;
        if (std::abs(cell.accuracy - 0.5) > kNearChance + report::kRounding)
          verdict.leaks.push_back(cell);
      } else if (hops <= kTrainedHops) {
        ++verdict.solved_cells;
        if (cell.accuracy < kSolved - report::kRounding) verdict.unsolved.push_back(cell);
      }
    }
  }
  return verdict;
}

report::Verdict ExtrapolationVerdict::verdict() const {
  if (!six) return report::Verdict::undecided;
  return *six >= kExtrapolated - report::kRounding ? report::Verdict::passed
                                                   : report::Verdict::failed;
}

ExtrapolationVerdict judge_extrapolation(const AccuracyHeatmap& heatmap) {
  return {heatmap.at(6, kExtrapolationLoops), heatmap.at(8, kExtrapolationLoops)};
}

std::vector<HeatmapCell> short_cells(const AccuracyHeatmap& heatmap, std::uint32_t most,
                                     double threshold) {
  std::vector<HeatmapCell> cells;
  for (const std::uint32_t hops : heatmap.difficulties)
    for (const std::uint32_t loops : heatmap.loops)
      if (hops <= most && hops <= loops && *heatmap.at(hops, loops) < threshold)
        cells.push_back({hops, loops, *heatmap.at(hops, loops)});
  return cells;
}

SupervisionOutcome supervision_outcome(std::uint64_t seed, const AccuracyHeatmap& heatmap) {
  SupervisionOutcome outcome;
  outcome.seed = seed;
  for (const std::uint32_t hops : heatmap.difficulties)
    for (const std::uint32_t loops : heatmap.loops)
      if (loops <= kMostLoops && *heatmap.at(hops, loops) >= kSolved - report::kRounding)
        outcome.largest_solved = std::max(outcome.largest_solved, hops);
  outcome.shortcut = heatmap.at(kShortcutHops, 1);
  return outcome;
}

report::Verdict SupervisionVerdict::verdict() const {
  if (!enough_seeds()) return report::Verdict::undecided;
  return *solved_mean_steps < *solved_last ? report::Verdict::passed : report::Verdict::failed;
}

SupervisionVerdict judge_supervision(const std::vector<SupervisionOutcome>& last,
                                     const std::vector<SupervisionOutcome>& mean_steps) {
  const auto solved = [](const SupervisionOutcome& outcome) {
    return std::optional<double>(outcome.largest_solved);
  };
  const auto shortcut = [](const SupervisionOutcome& outcome) { return outcome.shortcut; };
  SupervisionVerdict verdict;
  verdict.seeds_last = last.size();
  verdict.seeds_mean_steps = mean_steps.size();
  verdict.solved_last = median_of(last, solved);
  verdict.solved_mean_steps = median_of(mean_steps, solved);
  verdict.shortcut_last = median_of(last, shortcut);
  verdict.shortcut_mean_steps = median_of(mean_steps, shortcut);
  return verdict;
}

report::Verdict ExpressionVerdict::solved() const {
  if (!unsolved.empty()) return report::Verdict::failed;
  return judged_loops && missing.empty() ? report::Verdict::passed : report::Verdict::undecided;
}

report::Verdict ExpressionVerdict::non_decreasing() const {
  if (!fallen.empty()) return report::Verdict::failed;
  return several_loops ? report::Verdict::passed : report::Verdict::undecided;
}

report::Verdict ExpressionVerdict::deep_verdict() const {
  if (!deep) return report::Verdict::undecided;
  return *deep > kDeepAbove + report::kRounding ? report::Verdict::passed : report::Verdict::failed;
}

ExpressionVerdict judge_expressions(const AccuracyHeatmap& heatmap) {
  ExpressionVerdict verdict;
  verdict.judged_loops = contains(heatmap.loops, kExpressionLoops);
  verdict.several_loops = heatmap.loops.size() > 1;
  verdict.deep = heatmap.at(kDeep, kExpressionLoops);
  for (std::uint32_t depth = 1; depth <= kShallow; ++depth) {
    const std::optional<double> accuracy = heatmap.at(depth, kExpressionLoops);
    if (!contains(heatmap.difficulties, depth)) verdict.missing.push_back(depth);
    if (accuracy && *accuracy < kShallowSolved - report::kRounding)
      verdict.unsolved.push_back({depth, kExpressionLoops, *accuracy});
  }
  for (std::size_t row = 0; row < heatmap.difficulties.size(); ++row) {
    double best = 0;
    for (std::size_t column = 0; column < heatmap.loops.size(); ++column) {
      const double accuracy = heatmap.accuracy[row][column];
      if (accuracy < best - kMostFall - report::kRounding)
        verdict.fallen.push_back({heatmap.difficulties[row], heatmap.loops[column], accuracy});
      best = std::max(best, accuracy);
    }
  }
  return verdict;
}

report::Verdict FamilyVerdict::verdict() const {
  if (!one || !four) return report::Verdict::undecided;
  return *four - *one >= kGain - report::kRounding ? report::Verdict::passed
                                                   : report::Verdict::failed;
}

FamilyVerdict judge_families(const AccuracyHeatmap& heatmap) {
  return {heatmap.at(3, 1), heatmap.at(3, 4)};
}

FrontierFit fit_frontier(const AccuracyHeatmap& heatmap, double threshold) {
  FrontierFit fit;
  const std::uint32_t largest = heatmap.difficulties.back();
  const std::vector<std::uint32_t> reached = frontier(heatmap, threshold);
  PlotLine line;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::uint32_t loops = heatmap.loops[i];
    if (reached[i] == 0) {
      fit.empty.emplace_back(loops, reached[i]);
    } else if (reached[i] == largest) {
      fit.censored.emplace_back(loops, reached[i]);
    } else if (loops > largest) {
      fit.beyond.emplace_back(loops, reached[i]);
    } else {
      fit.points.emplace_back(loops, reached[i]);
      line.emplace_back(loops, reached[i]);
    }
  }
  if (line.size() >= kFewestFitted) fit.line = least_squares(line);
  return fit;
}

AccuracyHeatmap median_heatmap(const std::vector<AccuracyHeatmap>& heatmaps) {
  AccuracyHeatmap result = heatmaps.front();
  for (std::size_t row = 0; row < result.accuracy.size(); ++row)
    for (std::size_t column = 0; column < result.accuracy[row].size(); ++column) {
      std::vector<double> values;
      for (const AccuracyHeatmap& heatmap : heatmaps)
        values.push_back(heatmap.accuracy[row][column]);
      result.accuracy[row][column] = *report::median(std::move(values));
    }
  return result;
}

}  // namespace logdepth::inline learned_depth_recurrent
