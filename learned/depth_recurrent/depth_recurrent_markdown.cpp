#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/depth_recurrent_report.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/run_series.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

using Trend = LearningCurve::Trend;

constexpr const char* kIntroduction =
    R"(# Depth-recurrent transformers

One block is repeated T times; rows of the tables are the difficulty of what is asked, columns T at evaluation. Numbers
are **measured** on the runs named here unless they are marked **published**: those are of "Thinking Deeper, Not Longer"
(Chen 2026). Runs are **still rising** where the second half of their steps raised the score of their learning curve by
more than a fiftieth of it; of a run that ended before its planned steps the page says how and when instead. A criterion
that fails is **not reproduced at this scale**, with its numbers beside.

Every task is a series of runs: a base and its ablations, each of which differs from the base in one part. Tables of runs
have medians, with all seeds in brackets; largest solved: at least .95 at some T; overthinking: the most that any difficulty
loses from its best T to the largest T. Tables of steps have the share of the candidate state that the gate lets in, and the
change of the state relative to the state, as means over tokens and questions of the hardest trained difficulty. DR-6, a
share between .10 and .14 at initialisation, is held by a test, not by trained runs.
)";

/// Steps at which the table of gate readings looks; the picture has all.
constexpr std::size_t kFirstSteps = 4, kStepsApart = 4;
constexpr std::uint32_t kPerfectHops = 8;

/// Whole difficulties, and halves that a median of an even number of seeds can give.
std::string whole_text(double value) {
  return fixed_text(value, value == std::floor(value) ? 0 : 1);
}

/// Ours less published.
std::string difference_text(double difference) {
  return signed_text(std::round(100 * difference) / 100, 2);
}

std::string heatmap_table(const RecurrentSubject& subject, const AccuracyHeatmap& heatmap,
                          const AccuracyHeatmap* beside) {
  std::vector<std::string> cells = {subject.unit + " \\ T"};
  for (const std::uint32_t loops : heatmap.loops) cells.push_back(std::to_string(loops));
  std::string text = markdown_headings(cells);
  for (std::size_t i = 0; i < heatmap.difficulties.size(); ++i) {
    cells = {std::to_string(heatmap.difficulties[i])};
    for (std::size_t j = 0; j < heatmap.loops.size(); ++j) {
      const double ours = heatmap.accuracy[i][j];
      const auto published =
          beside ? beside->at(heatmap.difficulties[i], heatmap.loops[j]) : std::nullopt;
      cells.push_back(fixed_text(ours, beside ? 3 : 2) +
                      (published ? " (" + difference_text(ours - *published) + ")" : ""));
    }
    text += markdown_row(cells);
  }
  return text;
}

std::string points_text(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points) {
  std::vector<std::string> texts;
  for (const auto& [loops, difficulty] : points)
    texts.push_back(fmt::format("T = {} ({})", loops, difficulty));
  return joined(texts);
}

std::string fit_text(const FrontierFit& fit) {
  std::string text =
      fit.line ? fmt::format("{} (r2 = {}, {})", line_text(fit), fixed_text(fit.line->r2, 2),
                             counted(fit.points.size(), "point"))
               : fmt::format("no line, {} of at least {}", counted(fit.points.size(), "point"),
                             kFewestFitted);
  if (!fit.censored.empty())
    text += "; left out, more might be reached: " + points_text(fit.censored);
  if (!fit.beyond.empty())
    text += "; left out, T is beyond the largest difficulty asked: " + points_text(fit.beyond);
  if (!fit.empty.empty()) text += "; left out, nothing was reached: " + points_text(fit.empty);
  return text;
}

std::string trained_text(const RecurrentSubject& subject, const TrainedRange& trained) {
  std::string text =
      fmt::format("trained on {} {} to {}", subject.unit, trained.easiest, trained.hardest);
  return text + (trained.least == trained.most
                     ? fmt::format(" with T = {}", trained.least)
                     : fmt::format(" with T uniform in {} to {}", trained.least, trained.most));
}

/// Frontier, its line, fewest loops and overthinking of a heatmap, an item each.
std::string reading_text(const RecurrentSubject& subject, const AccuracyHeatmap& heatmap) {
  std::vector<std::string> items;
  const std::vector<std::uint32_t> reached = frontier(heatmap, kSolved);
  for (std::size_t i = 0; i < reached.size(); ++i)
    items.push_back(fmt::format("T = {}: {}", heatmap.loops[i], reached[i]));
  std::string text =
      "- Frontier, the " + subject.unit + " up to which all are at least .95: " + joined(items) +
      ".\n- Line through it: hops* = " + fit_text(fit_frontier(heatmap, kSolved)) + ".\n";
  if (subject.unit != "hops") text.replace(text.find("hops*"), 5, "depth*");
  items.clear();
  const auto fewest = fewest_loops(heatmap, kSolved);
  for (std::size_t i = 0; i < fewest.size(); ++i)
    items.push_back(subject.difficulty(heatmap.difficulties[i]) + ": " +
                    (fewest[i] ? std::to_string(*fewest[i]) : "none"));
  text += "- Smallest T with at least .95: " + joined(items) + ".\n";
  const std::vector<double> lost = overthinking(heatmap);
  const auto worst = std::ranges::max_element(lost);
  text += "- Overthinking, the best T less the largest T: ";
  text +=
      *worst == 0
          ? "nothing is lost.\n"
          : fmt::format("at most {} is lost ({}).\n", fixed_text(*worst, 3),
                        subject.difficulty(
                            heatmap.difficulties[static_cast<std::size_t>(worst - lost.begin())]));
  if (subject.unit != "hops") return text;
  items.clear();
  for (const HeatmapCell& cell : short_cells(heatmap, kPerfectHops, kSolved))
    items.push_back(fmt::format("{} at T = {} ({})", subject.difficulty(cell.difficulty),
                                cell.loops, fixed_text(cell.accuracy, 3)));
  return text + "- N steps for N hops, up to 8 hops: " +
         (items.empty() ? "no exception" : "not at " + joined(items)) + ".\n";
}

bool ended_early(const RecurrentRun& run) {
  return !run.early_end.empty();
}

std::string settings_text(const RecurrentSeries& series) {
  const RecurrentRunGroup& base = series.base();
  const ModelConfig& model = base.config.model;
  std::string text = base.config.preset.empty() ? "" : "Preset `" + base.config.preset + "`: ";
  text += fmt::format(
      "width {}, {} heads, hidden {}, {}{} steps of {}; {}; {} questions a cell; {}.", model.width,
      model.heads, model.hidden, std::ranges::any_of(base.runs, ended_early) ? "planned " : "",
      base.config.training.steps, base.task().batch, trained_text(series.subject, base.trained()),
      base.runs.front().samples, base.seeds());
  if (const auto* graphs = base.config.task.try_as<HopTaskConfig>())
    text += fmt::format(" Graphs of {} vertices in training, {} in evaluation{}.",
                        HopGraphSize{graphs->chain, graphs->pool}.vertices(),
                        HopGraphSize{graphs->test_chain, graphs->pool}.vertices(),
                        graphs->masked ? "" : ", without the mask");
  if (!series.unlike_preset.empty())
    text += " The base differs from the preset in " +
            markdown_text(ablation_label(series.unlike_preset)) + ".";
  return text + "\n";
}

std::string state_text(const RecurrentRunGroup& group) {
  std::map<std::string, std::size_t> states;
  for (const RecurrentRun& run : group.runs) ++states[run.state()];
  if (states.size() == 1) return states.begin()->first;
  std::vector<std::string> texts;
  for (const auto& [state, runs] : states) texts.push_back(fmt::format("{}: {}", state, runs));
  return joined(texts);
}

/// The median, then all values where they are several.
std::string with_seeds(const RecurrentRunGroup& group,
                       const std::function<std::optional<double>(const RecurrentRun&)>& value,
                       const std::function<std::string(double)>& text) {
  std::vector<double> values;
  std::vector<std::string> texts;
  for (const RecurrentRun& run : group.runs) {
    const std::optional<double> found = value(run);
    if (found) values.push_back(*found);
    texts.push_back(found ? text(*found) : "none");
  }
  if (values.empty()) return "none";
  const std::string middle = text(*report::median(values));
  return group.runs.size() == 1 ? middle : middle + " (" + joined(texts) + ")";
}

std::vector<std::string> group_headings(const RecurrentSeries& series) {
  const TrainedRange trained = series.base().trained();
  return {"what differs",
          "largest " + series.subject.unit + " solved",
          "slope of the frontier",
          fmt::format("{} at T = {}", series.subject.difficulty(trained.hardest), trained.most),
          "overthinking",
          "seeds",
          "learning curve"};
}

std::string group_row(const RecurrentSeries& series, const RecurrentRunGroup& group,
                      const std::string& name) {
  const TrainedRange trained = series.base().trained();
  const auto reading = [&](const RecurrentRun& run) { return read_heatmap(run.heatmap, trained); };
  const auto accuracy = [](double value) { return fixed_text(value, 3); };
  std::vector<std::string> seeds;
  for (const RecurrentRun& run : group.runs) seeds.push_back(std::to_string(run.seed));
  return markdown_row(
      {name,
       with_seeds(
           group,
           [&](const RecurrentRun& run) -> std::optional<double> {
             return reading(run).largest_solved;
           },
           whole_text),
       with_seeds(
           group,
           [&](const RecurrentRun& run) -> std::optional<double> {
             const FrontierFit fit = reading(run).fit;
             return fit.line ? std::optional(fit.line->a) : std::nullopt;
           },
           [](double value) { return fixed_text(value, 2); }),
       with_seeds(
           group, [&](const RecurrentRun& run) { return reading(run).trained; }, accuracy),
       with_seeds(
           group,
           [&](const RecurrentRun& run) -> std::optional<double> {
             return reading(run).overthinking;
           },
           accuracy),
       joined(seeds), state_text(group)});
}

/// The settings of the base that these groups change.
std::string base_label(const std::vector<const RecurrentRunGroup*>& groups) {
  std::vector<SettingDifference> differences;
  std::set<std::string> seen;
  for (const RecurrentRunGroup* group : groups)
    for (const SettingDifference& difference : group->differences)
      if (seen.insert(difference.setting).second)
        differences.push_back({difference.setting, difference.value, difference.base});
  return ablation_label(differences);
}

std::string ablation_table(const RecurrentSeries& series, const std::string& title,
                           const std::vector<const RecurrentRunGroup*>& groups) {
  if (groups.empty()) return "";
  std::string text = "\nAblation " + title + ":\n\n" + markdown_headings(group_headings(series));
  text += group_row(series, series.base(), "base: " + markdown_text(base_label(groups)));
  for (const RecurrentRunGroup* group : groups)
    text += group_row(series, *group, markdown_text(ablation_label(group->differences)));
  return text;
}

/// The base by itself, then every ablation that there are runs of.
std::string runs_text(const RecurrentSeries& series) {
  std::string text = "\nRuns of the base:\n\n" + markdown_headings(group_headings(series)) +
                     group_row(series, series.base(), "base");
  std::vector<std::string> missing;
  for (const RecurrentAblation ablation : kRecurrentAblations) {
    const auto groups = series.of(ablation);
    if (groups.empty() && has_ablation(series.base().config.task, ablation))
      missing.emplace_back(ablation_name(ablation));
    text += ablation_table(series, "`" + std::string(ablation_name(ablation)) + "`", groups);
  }
  text += ablation_table(series, "of several parts", series.of_several());
  if (!missing.empty()) text += "\nAblations without runs here: " + joined(missing) + ".\n";
  return text;
}

/// The row of a run's shortcut, where the task has one.
std::string shortcut_text(const RecurrentSeries& series) {
  const RecurrentRun& run = series.base().runs.front();
  if (run.shortcut.empty()) return "";
  std::vector<std::string> items;
  for (std::size_t i = 0; i < run.shortcut.size(); ++i)
    items.push_back(
        fmt::format("{}: {}", run.heatmap.difficulties[i], fixed_text(run.shortcut[i], 2)));
  return "- Share of the questions that two rounds of evaluation decide, by depth (seed " +
         std::to_string(run.seed) + "): " + joined(items) + ".\n";
}

std::string gate_text(const RecurrentSeries& series) {
  std::vector<std::pair<std::string, std::vector<LoopReading>>> rows = {
      {"base", series.base().readings()}};
  for (const RecurrentRunGroup* group : series.of(RecurrentAblation::gate))
    rows.emplace_back(ablation_label(group->differences), group->readings());
  std::size_t steps = 0;
  for (const auto& [name, readings] : rows) steps = std::max(steps, readings.size());
  if (steps == 0) return "";
  std::vector<std::size_t> shown;
  for (std::size_t step = 1; step <= steps; ++step)
    if (step <= kFirstSteps || step % kStepsApart == 0 || step == steps) shown.push_back(step);
  std::vector<std::string> headings = {"run", "step"};
  for (const std::size_t step : shown) headings.push_back(std::to_string(step));
  std::string text = "\nGate and state, step by step:\n\n" + markdown_headings(headings);
  const auto add = [&](const std::string& name, const char* what,
                       const std::vector<LoopReading>& readings, double LoopReading::*value) {
    std::vector<std::string> cells = {markdown_text(name), what};
    for (const std::size_t step : shown)
      cells.push_back(step <= readings.size() ? fixed_text(readings[step - 1].*value, 3) : "");
    text += markdown_row(cells);
  };
  for (const auto& [name, readings] : rows) {
    if (readings.empty()) continue;
    add(name, "gate share", readings, &LoopReading::gate_share);
    add(name, "change", readings, &LoopReading::change);
  }
  return text;
}

/// With what is to be known about these runs beside it: whether they ended early, and of a failure
/// whether they still rise.
std::string verdict_text(report::Verdict verdict, const std::vector<RecurrentRun>& runs) {
  std::string text = verdict == report::Verdict::failed
                         ? "**not reproduced at this scale**"
                         : std::string("**") + report::verdict_name(verdict) + "**";
  const auto early = static_cast<std::size_t>(std::ranges::count_if(runs, ended_early));
  if (early > 0)
    return text + ", " +
           (runs.size() == 1 ? runs.front().early_end
                             : share_text(early, runs.size()) + " runs ended early");
  const bool rising = std::ranges::find(runs, Trend::rising, &RecurrentRun::trend) != runs.end();
  return text + (verdict == report::Verdict::failed && rising ? ", still rising" : "");
}

/// Every criterion of a series on every seed.
std::string criteria_text(const RecurrentSeries& series) {
  const std::vector<Criterion> published =
      criteria_of(series, series.subject.published->heatmap, kGraphsOfChance);
  if (published.empty()) return "\n" + not_judged(series) + "\n";
  std::string text =
      "\n" + markdown_headings({"criterion", "asked", "seed", "measured", "verdict"});
  for (std::size_t i = 0; i < published.size(); ++i) {
    for (const RecurrentRun& run : series.base().runs) {
      const Criterion criterion = criteria_of(series, run.heatmap, run.samples)[i];
      text += markdown_row({criterion.name, criterion.asked, std::to_string(run.seed),
                            criterion.measured, verdict_text(criterion.verdict, {run})});
    }
    text += markdown_row({published[i].name, "", "published", published[i].measured,
                          report::verdict_name(published[i].verdict)});
  }
  return text;
}

/// Accuracies that have no threshold: hops at which the paper collapses.
std::string collapse_text(const RecurrentSeries& series) {
  if (series.subject.unit != "hops") return "";
  std::string text;
  for (const std::uint32_t hops : {10U, 12U}) {
    std::vector<std::string> accuracies;
    for (const std::uint32_t loops : {12U, 15U, 20U})
      if (const auto accuracy = series.base().median.at(hops, loops))
        accuracies.push_back(fmt::format("T = {}: {}", loops, fixed_text(*accuracy, 3)));
    text += fmt::format("- {} hops, no threshold (published .50): {}.\n", hops,
                        accuracies.empty() ? "not measured" : joined(accuracies));
  }
  return text;
}

/// `published_above`: a section before has the same figure.
std::string series_section(const RecurrentSeries& series, bool published_above) {
  const RecurrentSubject& subject = series.subject;
  const RecurrentRunGroup& base = series.base();
  const PublishedHeatmap& published = *subject.published;
  const auto* graphs = base.config.task.try_as<HopTaskConfig>();
  std::string text = "\n## " + subject.name + "\n\n" + subject.explanation + "\n\n" +
                     settings_text(series) + "\n![" + subject.name +
                     ": accuracy ours and published, frontier, gate](depth-recurrent-" +
                     subject.name + ".svg)\n";
  text += "\nMeasured accuracy, " + base.seeds() +
          ", in brackets its difference to the published cell where there is one:\n\n" +
          heatmap_table(subject, base.median, &published.heatmap) + "\n" +
          reading_text(subject, base.median) + collapse_text(series) + shortcut_text(series);
  text += graphs && graphs->masked
              ? "- Under the mask a step carries one hop, so a slope of 1 is expected.\n"
              : "- Without a mask no slope is expected.\n";
  const std::string heading =
      "\nPublished, " + published.source + ", " + trained_text(subject, published.trained);
  text += published_above ? heading + ": above.\n"
                          : heading + ":\n\n" + heatmap_table(subject, published.heatmap, nullptr) +
                                "\n" + reading_text(subject, published.heatmap);
  return text + criteria_text(series) + runs_text(series) + gate_text(series);
}

std::string supervision_numbers(const SupervisionVerdict& verdict) {
  const auto side = [](const std::optional<double>& solved) {
    return solved ? whole_text(*solved) : std::string("no run");
  };
  return "the median of the largest hop count solved is " + side(verdict.solved_mean_steps) +
         " under the mean of the losses of all loops, " + side(verdict.solved_last) +
         " under the loss after the last";
}

std::string supervision_sentence(const SupervisionVerdict& verdict) {
  const std::string numbers = supervision_numbers(verdict);
  switch (verdict.verdict()) {
    case report::Verdict::passed:
      return "**Passed**: " + numbers + ".";
    case report::Verdict::failed:
      return "**Not reproduced at this scale**: " + numbers + ", expected the first to be smaller.";
    case report::Verdict::undecided:
      break;
  }
  return "**Undecided**: " + numbers +
         fmt::format("; {} runs of each are asked for.", report::kSeedsAsked);
}

std::string supervision_section(const std::optional<SupervisionComparison>& comparison) {
  const PublishedSupervision& published = kPublishedSupervision;
  std::string text =
      "\n## Supervision (DR-3)\n\nOn `natural`: does a loss after every loop solve fewer hops (at "
      "least .95 at some T up to 20) than one after the last?\nPublished, with enough steps out of "
      "the training range: " +
      percent_text(published.beyond_training_mean_steps) + " against " +
      published.beyond_training_last + ".\n\n";
  if (!comparison) return text + "**Undecided**: there are no runs on `natural`.\n";
  const SupervisionVerdict& verdict = comparison->verdict;
  const auto row = [](const char* loss, const std::vector<SupervisionOutcome>& outcomes,
                      const std::optional<double>& solved, const std::optional<double>& shortcut,
                      double printed) {
    std::vector<std::string> hops, accuracies;
    for (const SupervisionOutcome& outcome : outcomes) {
      hops.push_back(fmt::format("{}: {}", outcome.seed, outcome.largest_solved));
      accuracies.push_back(fmt::format("{}: {}", outcome.seed, accuracy_text(outcome.shortcut)));
    }
    return markdown_row({loss, outcomes.empty() ? "none" : joined(hops),
                         solved ? whole_text(*solved) : "no run",
                         outcomes.empty() ? "none" : joined(accuracies), accuracy_text(shortcut),
                         percent_text(printed)});
  };
  text += markdown_headings({"loss", "seed: largest hops solved", "median",
                             "seed: 12 hops at T = 1", "median", "published"});
  text += row("of all loops (mean)", comparison->mean_steps, verdict.solved_mean_steps,
              verdict.shortcut_mean_steps, published.one_loop_mean_steps);
  text += row("after the last loop", comparison->last, verdict.solved_last, verdict.shortcut_last,
              published.one_loop_last);
  text += "\n" + supervision_sentence(verdict) + "\n";
  if (verdict.shortcut_mean_steps && verdict.shortcut_last)
    text += "The accuracy of 12 hops at T = 1, where the path cannot be seen, is " +
            signed_text(*verdict.shortcut_mean_steps - *verdict.shortcut_last, 3) +
            " under the loss of all loops against the last (published " +
            signed_text(published.one_loop_mean_steps - published.one_loop_last, 2) +
            "); there is no threshold.\n";
  return text;
}

/// A row for every criterion of every series.
std::string summary(const std::vector<RecurrentSeries>& all,
                    const std::optional<SupervisionComparison>& comparison) {
  std::string text = "\n## What came out\n\n" + markdown_headings({"criterion", "task", "asked",
                                                                   "seeds that pass", "verdict"});
  std::string unjudged;
  for (const RecurrentSeries& series : all) {
    std::vector<std::vector<Criterion>> by_run;
    for (const RecurrentRun& run : series.base().runs)
      by_run.push_back(criteria_of(series, run.heatmap, run.samples));
    // A base as its preset has no row where no criterion is about its task.
    if (by_run.front().empty() && !series.unlike_preset.empty())
      unjudged += "\n" + series.subject.name + ": " + not_judged(series) + "\n";
    for (std::size_t i = 0; i < by_run.front().size(); ++i) {
      std::vector<report::Verdict> verdicts;
      for (const auto& criteria : by_run) verdicts.push_back(criteria[i].verdict);
      const report::Verdict verdict = together(verdicts);
      const auto passed =
          static_cast<std::size_t>(std::ranges::count(verdicts, report::Verdict::passed));
      text += markdown_row({by_run.front()[i].name, series.subject.name, by_run.front()[i].asked,
                            share_text(passed, verdicts.size()),
                            verdict_text(verdict, series.base().runs)});
    }
  }
  const report::Verdict supervision =
      comparison ? comparison->verdict.verdict() : report::Verdict::undecided;
  return text +
         markdown_row({"DR-3", "graphs-natural", "fewer hops solved under a loss after every loop",
                       fmt::format("medians of {}", report::kSeedsAsked),
                       verdict_text(supervision, {})}) +
         unjudged;
}

}  // namespace

std::string depth_recurrent_markdown(const std::vector<RunRecord>& records) {
  const std::vector<RecurrentSeries> all = recurrent_series(records);
  const std::optional<SupervisionComparison> comparison = supervision_comparison(all);
  std::string text = kIntroduction + summary(all, comparison);
  std::set<const PublishedHeatmap*> printed;
  for (const RecurrentSeries& series : all)
    text += series_section(series, !printed.insert(series.subject.published).second);
  text += supervision_section(comparison);
  text += "\n## Where the source contradicts itself or is silent\n\n";
  for (const std::string& note : published_contradictions()) text += "- " + note + "\n";
  return text;
}

}  // namespace logdepth
