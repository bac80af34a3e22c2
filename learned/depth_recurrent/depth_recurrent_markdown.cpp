#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "figures/table_text.hpp"
#include "learned/depth_recurrent/depth_recurrent_report.hpp"
#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/hop_run_groups.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "objects/number_text.hpp"
#include "objects/phrases.hpp"

namespace logdepth {
namespace {

using Generator = HopTaskConfig::Generator;

constexpr const char* kIntroduction =
    R"(# Depth-recurrent transformers: graph reachability

Is there a directed path from s to t? One block is repeated T times; under the adjacency mask a vertex reads itself and
its successors, so information goes one hop a step. Rows are hops from s to t, columns T at evaluation. Numbers marked
"published" are those of "Thinking Deeper, Not Longer" (Chen 2026); all others are of the runs named here.

![accuracy by hops and T, ours and published](depth-recurrent.svg)
)";

constexpr const char* kTwinText =
    R"(The `twin` generator asks the same question of two chains that look alike: with fewer than k steps nothing that the
mask lets through tells k hops from no path, for any weights, so the best accuracy there is one half.
)";

constexpr const char* kNaturalText =
    R"(The `natural` generator plants a path and cuts all edges between two levels where there is to be none; the number of
edges then tells something about the answer, a shortcut.
)";

constexpr const char* kRandomText =
    R"(The `random-pairs` generator takes pairs of random graphs, at the asked distance or without a path.
)";

constexpr const char* kTableText =
    R"(Accuracy, in brackets its difference to the published cell where there is one.

)";

std::string accuracy_text(const std::optional<double>& accuracy) {
  return accuracy ? fixed_text(*accuracy, 3) : "not measured";
}

/// Whole hop counts, and halves that a median of an even number of seeds can give.
std::string hops_text(const std::optional<double>& hops) {
  if (!hops) return "no run";
  return fixed_text(*hops, *hops == std::floor(*hops) ? 0 : 1);
}

std::string list(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

std::string list(const std::vector<HeatmapCell>& cells) {
  std::string text;
  for (const HeatmapCell& cell : cells)
    text += fmt::format("{}{} hops at T = {} ({})", text.empty() ? "" : ", ", cell.hops, cell.loops,
                        fixed_text(cell.accuracy, 3));
  return text;
}

/// Ours less published.
std::string difference_text(double difference) {
  return signed_text(std::round(100 * difference) / 100, 2);
}

std::string heatmap_table(const AccuracyHeatmap& heatmap, bool with_difference) {
  std::vector<std::string> cells = {"hops \\ T"};
  for (const std::uint32_t loops : heatmap.loops) cells.push_back(std::to_string(loops));
  std::string text = markdown_headings(cells);
  for (std::size_t i = 0; i < heatmap.difficulties.size(); ++i) {
    cells = {std::to_string(heatmap.difficulties[i])};
    for (std::size_t j = 0; j < heatmap.loops.size(); ++j) {
      const double ours = heatmap.accuracy[i][j];
      const auto published = published_hop_heatmap().at(heatmap.difficulties[i], heatmap.loops[j]);
      cells.push_back(
          fixed_text(ours, with_difference ? 3 : 2) +
          (with_difference && published ? " (" + difference_text(ours - *published) + ")" : ""));
    }
    text += markdown_row(cells);
  }
  return text;
}

std::string fewest_text(const AccuracyHeatmap& heatmap) {
  std::string text;
  const auto fewest = fewest_loops(heatmap, kSolved);
  for (std::size_t i = 0; i < fewest.size(); ++i)
    text += (i == 0 ? "" : ", ") + counted(heatmap.difficulties[i], "hop") + ": " +
            (fewest[i] ? std::to_string(*fewest[i]) : "none");
  return text;
}

/// Frontier, fewest loops and overthinking of a heatmap, an item each.
std::string reading(const AccuracyHeatmap& heatmap) {
  std::string text = "- Frontier, the hops up to which all are at least .95: ";
  const std::vector<std::uint32_t> reached = frontier(heatmap, kSolved);
  for (std::size_t i = 0; i < reached.size(); ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "T = " : ", T = ", heatmap.loops[i], reached[i]);
  text += ".\n- Smallest T with at least .95: " + fewest_text(heatmap) + ".\n";
  const std::vector<double> lost = overthinking(heatmap);
  const auto worst = std::max_element(lost.begin(), lost.end());
  text += "- Best T against the largest T: ";
  text += *worst == 0
              ? "nothing is lost.\n"
              : "at most " + fixed_text(*worst, 3) + " is lost (" +
                    counted(heatmap.difficulties[static_cast<std::size_t>(worst - lost.begin())],
                            "hop") +
                    ").\n";
  const auto cells = short_cells(heatmap, 8, kSolved);
  return text + "- N steps for N hops, up to 8 hops: " +
         (cells.empty() ? "no exception" : "not at " + list(cells)) + ".\n";
}

std::string settings(const HopRunGroup& group) {
  const HopTaskConfig& task = group.task();
  const ModelConfig& model = group.config.model;
  const LoopRule& loops = model.loops;
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  const auto vertices = [&](std::uint32_t chain) {
    return number(2 * std::uint64_t{chain} + task.pool);
  };
  std::string text = group.config.preset.empty() ? "" : "Preset `" + group.config.preset + "`. ";
  text += "Width " + number(model.width) + ", " + number(model.heads) + " heads, hidden " +
          number(model.hidden) + "; trained on 1 to " + number(task.hardest) +
          " hops in graphs of " + vertices(task.chain) + " vertices";
  if (loops.kind == LoopRule::Kind::range)
    text += " with T uniform in " + number(loops.least) + " to " + number(loops.most);
  if (loops.kind == LoopRule::Kind::fixed) text += " with T = " + number(loops.least);
  text += "; measured on graphs of " + vertices(task.test_chain) + " vertices, " +
          number(group.runs.front().graphs) + " a cell; ";
  if (task.identities > 0) text += number(task.identities) + " identities of vertices; ";
  return text + group.seeds() + ".\n";
}

std::string frontier_lines(const HopRun& run) {
  const FrontierVerdict verdict = judge_frontier(run.heatmap, run.graphs);
  std::string text =
      fmt::format("  - first half, at least .95 at all hops up to min(T, 5): **{}**, {} cells",
                  verdict_name(verdict.solved()), verdict.solved_cells);
  if (!verdict.unsolved.empty()) text += "; below: " + list(verdict.unsolved);
  text += fmt::format(
      ".\n  - second half, within .06 of one half at all hops beyond T: **{}**, {} cells",
      verdict_name(verdict.chance()), verdict.chance_cells);
  if (!verdict.leaks.empty()) text += "; outside: " + list(verdict.leaks);
  if (run.graphs < kGraphsOfChance)
    text += fmt::format("; the limit is for {} graphs a cell, there are {}", kGraphsOfChance,
                        run.graphs);
  text += ".\n";
  if (!verdict.missing_loops.empty())
    text += "  - not measured: T = " + list(verdict.missing_loops) + ".\n";
  if (!verdict.missing_hops.empty())
    text += "  - not measured: hops " + list(verdict.missing_hops) + ".\n";
  return text;
}

std::string extrapolation_line(const HopRun& run) {
  const ExtrapolationVerdict verdict = judge_extrapolation(run.heatmap);
  std::string text = "  - at T = 12: 6 hops " + accuracy_text(verdict.six) +
                     " (published 1.00), 8 hops " + accuracy_text(verdict.eight) +
                     " (published 0.97); at least .9 at 6 hops: **" +
                     verdict_name(verdict.verdict()) + "**.\n";
  for (const std::uint32_t hops : {10U, 12U}) {
    std::string accuracies;
    for (const std::uint32_t loops : {12U, 15U, 20U})
      if (const auto accuracy = run.heatmap.at(hops, loops))
        accuracies += fmt::format("{}{}: {}", accuracies.empty() ? "T = " : ", T = ", loops,
                                  fixed_text(*accuracy, 3));
    text += fmt::format("  - {} hops, no threshold (published .50): {}.\n", hops,
                        accuracies.empty() ? "not measured" : accuracies);
  }
  return text + "  - smallest T with at least .95: " + fewest_text(run.heatmap) + ".\n";
}

std::string criteria(const HopRunGroup& group) {
  if (group.task().generator != Generator::twin) return "";
  if (!group.task().masked)
    return "\nDR-1 and DR-2 are about attention under the mask and not judged here.\n";
  std::string text = "\nDR-1, the frontier:\n\n";
  for (const HopRun& run : group.runs)
    text += fmt::format("- seed {}\n{}", run.seed, frontier_lines(run));
  text += "\nDR-2, more hops and steps than in training:\n\n";
  for (const HopRun& run : group.runs)
    text += fmt::format("- seed {}\n{}", run.seed, extrapolation_line(run));
  return text;
}

std::string group_section(const HopRunGroup& group, std::size_t number) {
  const Generator generator = group.task().generator;
  return fmt::format("\n## {}. {}\n\n{}\n{}{}{}\n{}{}", number, group.title(), settings(group),
                     generator == Generator::twin      ? kTwinText
                     : generator == Generator::natural ? kNaturalText
                                                       : kRandomText,
                     kTableText, heatmap_table(group.median, true), reading(group.median),
                     criteria(group));
}

std::string verdict_sentence(const SupervisionVerdict& verdict) {
  const std::string numbers = "the median of the largest hop count solved is " +
                              hops_text(verdict.solved_mean_steps) +
                              " under the mean of the losses of all loops, " +
                              hops_text(verdict.solved_last) + " under the loss after the last";
  switch (verdict.verdict()) {
    case Verdict::passed:
      return "**Reproduced**: " + numbers + ".";
    case Verdict::failed:
      return "**Not reproduced**: " + numbers + ", expected the first to be smaller.";
    case Verdict::undecided:
      break;
  }
  return std::string("**Undecided**: there are no runs under the ") +
         (verdict.solved_last ? "mean of the losses of all loops" : "loss after the last loop") +
         " with otherwise equal settings.";
}

std::string comparison_text(const SupervisionComparison& comparison) {
  const SupervisionVerdict& verdict = comparison.verdict;
  const PublishedSupervision& published = kPublishedSupervision;
  const auto seeds = [](const std::vector<SupervisionOutcome>& outcomes) {
    std::string text;
    for (const SupervisionOutcome& outcome : outcomes)
      text +=
          fmt::format("{}{}: {}", text.empty() ? "" : ", ", outcome.seed, outcome.largest_solved);
    return text.empty() ? std::string("none") : text;
  };
  std::string text = comparison.preset.empty()
                         ? "\n"
                         : "\nPreset of the first run: `" + comparison.preset + "`.\n\n";
  text += markdown_headings(
      {"loss", "seed: largest hops solved", "median", "12 hops at T = 1, median", "published"});
  text += markdown_row(
      {"of all loops (mean)", seeds(comparison.mean_steps), hops_text(verdict.solved_mean_steps),
       accuracy_text(verdict.shortcut_mean_steps), percent_text(published.one_loop_mean_steps)});
  text +=
      markdown_row({"after the last loop", seeds(comparison.last), hops_text(verdict.solved_last),
                    accuracy_text(verdict.shortcut_last), percent_text(published.one_loop_last)});
  text += fmt::format(
      "\n{} Seeds: {} under all losses, {} under the last; the specification asks for {} of "
      "each{}.\n",
      verdict_sentence(verdict), verdict.seeds_mean_steps, verdict.seeds_last, kSeedsAsked,
      verdict.enough_seeds() ? "" : ", so this is preliminary");
  if (verdict.shortcut_mean_steps && verdict.shortcut_last)
    text += "The accuracy of 12 hops at T = 1, where the path cannot be seen, is " +
            signed_text(*verdict.shortcut_mean_steps - *verdict.shortcut_last, 3) +
            " under the loss of all loops against the last (published " +
            signed_text(published.one_loop_mean_steps - published.one_loop_last, 2) +
            "); there is no threshold.\n";
  return text;
}

std::string supervision_section(const std::vector<HopRunGroup>& groups) {
  std::string text =
      "\n## Supervision (DR-3)\n\nOn `natural`: does a loss after every loop solve fewer hops (at "
      "least .95 at some T up to 20) than one after the last?\nPublished, with enough steps out of "
      "the training range: " +
      percent_text(kPublishedSupervision.beyond_training_mean_steps) + " against " +
      kPublishedSupervision.beyond_training_last + ".\n";
  const std::vector<SupervisionComparison> comparisons = supervision_comparisons(groups);
  if (comparisons.empty()) return text + "\n**Undecided**: there are no runs on `natural`.\n";
  for (const SupervisionComparison& comparison : comparisons) text += comparison_text(comparison);
  return text;
}

}  // namespace

std::string depth_recurrent_markdown(const std::vector<RunRecord>& records) {
  const std::vector<HopRunGroup> groups = hop_run_groups(records);
  std::string text = kIntroduction;
  text += "\n## Published, figure 1\n\nTrained on 1 to 5 hops with T uniform in 5 to 8.\n\n" +
          heatmap_table(published_hop_heatmap(), false) + "\n" + reading(published_hop_heatmap());
  for (std::size_t i = 0; i < groups.size(); ++i) text += group_section(groups[i], i + 1);
  text += supervision_section(groups);
  text += "\n## Where the source contradicts itself or is silent\n\n";
  for (const std::string& note : published_contradictions()) text += "- " + note + "\n";
  return text;
}

}  // namespace logdepth
