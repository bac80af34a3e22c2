#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/phrases.hpp"
#include "learned/report/depth_table_text.hpp"
#include "learned/report/law_text.hpp"
#include "learned/report/rank_sum.hpp"
#include "report/statistics.hpp"

namespace logdepth::inline learned_report {
namespace {

/// One trained loop whose iterations grow with the length.
struct ReachRun {
  std::map<double, double> after;  ///< reach by iterations
  bool censored = false;           ///< of the last of them
  const SeriesRun* run = nullptr;

  /// The accuracy so far behind the reach; absent where nothing longer was measured.
  std::optional<double> beyond(std::size_t by) const {
    const auto at = static_cast<std::size_t>(after.rbegin()->second) + by;
    if (censored || at == 0 || at > run->accuracy.size()) return std::nullopt;
    return run->accuracy[at - 1];
  }
};

/// Of all recipes of a problem; controls are left out.
std::vector<ReachRun> reach_runs(const DepthProblem& problem) {
  std::vector<ReachRun> runs;
  for (const LearnedRow& row : problem.learned) {
    const LearnedSeries& series = row.series;
    if (!series.by_loops || series.kind != "adaptive loop" || !series.solvable || series.control())
      continue;
    for (std::size_t i = 0; i < series.runs.size(); ++i) {
      ReachRun run;
      run.run = &series.runs[i];
      for (const RunPoint& point : series.points)
        if (point.run == i) {
          run.after[point.point.depth] = point.point.reach;
          run.censored = point.point.censored;
        }
      if (!run.after.empty()) runs.push_back(std::move(run));
    }
  }
  return runs;
}

const char* solvable_text(const DepthProblem& problem) {
  for (const LearnedRow& row : problem.learned)
    if (row.series.solvable) return *row.series.solvable ? "solvable" : "not solvable";
  return "";
}

/// "4 (11), 5 (2)": each value with how often it is there.
std::string distribution(const std::vector<double>& values) {
  std::map<double, std::size_t> counts;
  for (const double value : values) ++counts[value];
  std::vector<std::string> parts;
  for (const auto& [value, count] : counts)
    parts.push_back(fmt::format("{} ({})", short_number(value), count));
  return joined(parts);
}

std::string median_text(const std::vector<double>& values) {
  const auto median = report::median(values);
  return median ? decimal(*median) : kNothing;
}

}  // namespace

TextTable reach_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Reach by iteration";
  text.before = {
      "Of looped networks with one iteration per doubling, all recipes of a problem together: "
      "reach "
      "r after each iteration, with how many seeds have it, and what the iteration added, o, as a "
      "share of the reach before. 1 is a doubling, which the schedule prescribes; a circuit of "
      "integer "
      "reach has exactly that, or less. Only seeds that were trained for the iteration and reach "
      "something before it are counted. The reach is that of the accuracies. The last column is "
      "that of attention: the share of the positions that read as in the circuit of Hillis and "
      "Steele, of the seeds whose records have it."};
  text.columns = {"problem",
                  "",
                  "iteration",
                  "seeds",
                  "r",
                  "o / r before, median",
                  "doubled exactly",
                  "read as in the scan, median"};
  for (const DepthProblem& problem : table.problems) {
    const std::vector<ReachRun> runs = reach_runs(problem);
    struct Iteration {
      std::vector<double> reaches, gains, read;
    };
    std::map<double, Iteration> iterations;
    for (const ReachRun& run : runs) {
      double before = 0;
      for (const auto& [layers, reach] : run.after) {
        auto& [reaches, gains, read] = iterations[layers];
        reaches.push_back(reach);
        if (before >= 1) gains.push_back((reach - before) / before);
        before = reach;
        const std::vector<double>& circuit = run.run->circuit;
        const auto layer = static_cast<std::size_t>(layers);
        if (layer >= 1 && layer <= circuit.size()) read.push_back(circuit[layer - 1]);
      }
    }
    for (const auto& [iteration, found] : iterations) {
      const auto& [reaches, gains, read] = found;
      const auto doubled = static_cast<std::size_t>(std::ranges::count(gains, 1.0));
      text.rows.push_back(
          {problem.name, solvable_text(problem), short_number(iteration),
           std::to_string(reaches.size()), distribution(reaches), median_text(gains),
           gains.empty() ? kNothing : share_text(doubled, gains.size()),
           read.empty() ? kNothing : fmt::format("{} ({})", median_text(read), read.size())});
    }
  }
  return text;
}

TextTable edge_table(const DepthTable& table) {
  TextTable text;
  text.heading = "Past the reach";
  text.columns = {
      "problem", "", "seeds", "at n*", "at n* + 1", "at n* + 2", "n* + 1, seed by seed"};
  std::map<bool, std::vector<double>> by_solvability;
  for (const DepthProblem& problem : table.problems) {
    const std::vector<ReachRun> runs = reach_runs(problem);
    std::vector<std::vector<double>> shares(3);
    for (const ReachRun& run : runs)
      for (std::size_t by = 0; by < shares.size() && run.beyond(1); ++by)
        if (const auto share = run.beyond(by)) shares[by].push_back(*share);
    if (shares[1].empty()) continue;
    const bool solvable = std::string(solvable_text(problem)) == "solvable";
    auto& all = by_solvability[solvable];
    all.insert(all.end(), shares[1].begin(), shares[1].end());
    std::vector<std::string> seeds;
    std::ranges::sort(shares[1]);
    for (const double share : shares[1]) seeds.push_back(decimal(share));
    text.rows.push_back({problem.name, solvable_text(problem), std::to_string(shares[1].size()),
                         median_text(shares[0]), median_text(shares[1]), median_text(shares[2]),
                         joined(seeds, " ")});
  }
  std::string test =
      "Accuracy at the reach and behind it, medians over the same networks; those that "
      "solve all that was measured are left out. A fall to chance is a circuit of "
      "integer reach, a slow one is not.";
  if (by_solvability.size() == 2)
    test += " Solvable against not solvable at n* + 1: " +
            rank_sum_text(by_solvability.at(true), by_solvability.at(false)) + ".";
  text.before = {test};
  return text;
}

}  // namespace logdepth::inline learned_report
