#include "learned/depth_recurrent/depth_recurrent_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/run_series.hpp"
#include "learned/depth_recurrent/runs_page.hpp"
#include "learned/depth_recurrent/series_data.hpp"
#include "learned/depth_recurrent/series_figure.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

using report::Data;
using report::Report;
using report::Table;
using report::Verdict;
using Texts = std::vector<std::string>;

constexpr const char* kSchema = "logdepth/report-depth-recurrent/1";
constexpr const char* kIntroduction =
    R"(One block is repeated T times; rows of the tables are difficulties of the questions, columns T at evaluation. Values
are **measured** on the runs named here, or **published** in "Thinking Deeper, Not Longer" (Chen 2026). Runs are **still
improving** if the second half of their steps raised the score of their learning curve by more than a fiftieth of it; for a
run that ended before its planned steps, the table gives how and when it ended instead. A criterion that fails is **not
reproduced at this scale**, and its values are printed with it.

Every task is a series of runs: a base and its ablations, each of which differs from the base in one part. Tables of runs
have medians, with all seeds in brackets; largest solved: at least .95 at some T; overthinking: the most that any difficulty
loses from its best T to the largest T. Tables of steps have the share of the candidate state that the gate lets in, and the
change of the state relative to the state, as means over tokens and questions of the hardest trained difficulty. DR-6, a
share between .10 and .14 at initialisation, is checked by a test, not by trained runs.)";

constexpr std::uint32_t kPerfectHops = 8;

/// "T = 3: 5" of every entry of a list, as `text` writes it.
std::string entries_text(const Data& list, const std::function<std::string(const Data&)>& text) {
  Texts texts;
  for (const Data& entry : list) texts.push_back(text(entry));
  return joined(texts);
}

std::uint32_t count_of(const Data& entry, const char* name) {
  return entry.at(name).get<std::uint32_t>();
}

// --- a heatmap -----------------------------------------------------------------------------------

/// `less_published`: ours less the published cells, or null; in brackets.
Table heatmap_table(const RecurrentSubject& subject, const Data& heatmap,
                    const Data& less_published) {
  const auto accuracy = heatmap.at("accuracy").get<std::vector<std::vector<double>>>();
  Table table{{subject.unit + " \\ T"}};
  for (const Data& loops : heatmap.at("loops")) table.headings.push_back(loops.dump());
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    Texts& row = table.rows.emplace_back(Texts{heatmap.at("difficulties").at(i).dump()});
    for (std::size_t j = 0; j < accuracy[i].size(); ++j) {
      const Data less = less_published.is_null() ? Data() : less_published.at(i).at(j);
      row.push_back(fixed_text(accuracy[i][j], less_published.is_null() ? 2 : 3));
      if (!less.is_null())
        row.back() += " (" + signed_text(std::round(100 * less.get<double>()) / 100, 2) + ")";
    }
  }
  return table;
}

std::string fit_text(const Data& fit) {
  const std::string points = counted(fit.at("points").size(), "point");
  std::string text = fit.at("a").is_null()
                         ? fmt::format("no line, {} of at least {}", points, kFewestFitted)
                         : fmt::format("{} (r2 = {}, {})", line_text(fit.at("a"), fit.at("b")),
                                       fixed_text(fit.at("r2"), 2), points);
  for (const auto& [list, why] : {std::pair("censored", "more might be reached"),
                                  {"beyond_asked", "T is beyond the largest difficulty tested"},
                                  {"nothing_reached", "nothing was reached"}})
    if (!fit.at(list).empty())
      text += fmt::format("; left out, {}: {}", why, entries_text(fit.at(list), [](const Data& at) {
                            return fmt::format("T = {} ({})", count_of(at, "loops"),
                                               count_of(at, "difficulty"));
                          }));
  return text;
}

/// Frontier, its line, fewest loops and overthinking of a heatmap, an item each.
Texts reading_items(const RecurrentSubject& subject, const AccuracyHeatmap& heatmap,
                    const Data& data) {
  const bool hops = subject.unit == "hops";
  const auto lost = data.at("overthinking").get<std::vector<double>>();
  const auto worst = std::ranges::max_element(lost);
  Texts items = {
      "Frontier, the " + subject.unit + " up to which all are at least .95: " +
          entries_text(data.at("frontier"),
                       [](const Data& at) {
                         return fmt::format("T = {}: {}", count_of(at, "loops"),
                                            count_of(at, "difficulty"));
                       }) +
          ".",
      fmt::format("Line through it: {}* = {}.", hops ? "hops" : "depth",
                  fit_text(data.at("frontier_fit"))),
      "Smallest T with at least .95: " +
          entries_text(data.at("fastest"),
                       [&](const Data& at) {
                         return subject.difficulty(count_of(at, "difficulty")) + ": " +
                                (at.at("loops").is_null() ? "none" : at.at("loops").dump());
                       }) +
          ".",
      "Overthinking, the best T less the largest T: " +
          (*worst == 0
               ? "nothing is lost."
               : fmt::format(
                     "at most {} is lost ({}).", fixed_text(*worst, 3),
                     subject.difficulty(
                         heatmap.difficulties[static_cast<std::size_t>(worst - lost.begin())])))};
  if (!hops) return items;
  const auto cells = short_cells(heatmap, kPerfectHops, kSolved);
  items.push_back("N steps for N hops, up to 8 hops: " +
                  (cells.empty() ? "no exception" : "not at " + cells_text(subject, cells)) + ".");
  return items;
}

// --- criteria ------------------------------------------------------------------------------------

/// With what is to be known about these runs beside it: whether they ended early, and of a failure
/// whether they still rise.
std::string verdict_text(Verdict verdict, const std::vector<RecurrentRun>& runs) {
  std::string text = verdict == Verdict::failed
                         ? "**not reproduced at this scale**"
                         : std::string("**") + report::verdict_name(verdict) + "**";
  const auto early = static_cast<std::size_t>(std::ranges::count_if(runs, ended_early));
  if (early > 0)
    return text + ", " +
           (runs.size() == 1 ? runs.front().early_end
                             : share_text(early, runs.size()) + " runs ended early");
  const bool rising =
      std::ranges::find(runs, LearningCurve::Trend::rising, &RecurrentRun::trend) != runs.end();
  return text + (verdict == Verdict::failed && rising ? ", still improving" : "");
}

Verdict verdict_of(const Data& criterion) {
  for (const Verdict verdict : {Verdict::passed, Verdict::failed})
    if (criterion.at("verdict") == report::verdict_name(verdict)) return verdict;
  return Verdict::undecided;
}

/// Every criterion of a series on every seed. `data`: of the series.
void add_criteria(Report& page, const RecurrentSeries& series, const Data& data) {
  const Data& published = data.at("published").at("judged");
  if (published.empty()) {
    page.add(not_judged(series));
    return;
  }
  const auto text = [](const Data& criterion, const char* name) {
    return criterion.at(name).get<std::string>();
  };
  Table table{{"criterion", "asked", "seed", "measured", "verdict"}};
  for (std::size_t i = 0; i < published.size(); ++i) {
    for (std::size_t run = 0; run < series.base().runs.size(); ++run) {
      const Data& of_run = data.at("criteria").at(run);
      const Data& one = of_run.at("judged").at(i);
      table.rows.push_back({text(one, "name"), text(one, "asked"), of_run.at("seed").dump(),
                            text(one, "measured"),
                            verdict_text(verdict_of(one), {series.base().runs[run]})});
    }
    table.rows.push_back({text(published[i], "name"), "", "published",
                          text(published[i], "measured"), text(published[i], "verdict")});
  }
  page.add(table);
}

/// A row for every criterion of every series.
void add_summary(Report& page, const std::vector<RecurrentSeries>& all,
                 const std::optional<SupervisionComparison>& comparison) {
  Table table{{"criterion", "task", "asked", "seeds that pass", "verdict"}};
  Texts unjudged;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const RecurrentSeries& series = all[k];
    const Data& by_run = page.data.at("tasks").at(k).at("criteria");
    const Data& first = by_run.at(0).at("judged");
    // A base as its preset has no row where no criterion is about its task.
    if (first.empty() && !series.unlike_preset.empty())
      unjudged.push_back(series.subject.name + ": " + not_judged(series));
    for (std::size_t i = 0; i < first.size(); ++i) {
      std::vector<Verdict> verdicts;
      for (const Data& run : by_run) verdicts.push_back(verdict_of(run.at("judged").at(i)));
      const auto passed = static_cast<std::size_t>(std::ranges::count(verdicts, Verdict::passed));
      table.rows.push_back({first[i].at("name"), series.subject.name, first[i].at("asked"),
                            share_text(passed, verdicts.size()),
                            verdict_text(report::overall(verdicts), series.base().runs)});
    }
  }
  const Verdict supervision = comparison ? comparison->verdict.verdict() : Verdict::undecided;
  table.rows.push_back({"DR-3", "graphs-natural",
                        "fewer hops solved under a loss after every iteration (the order only: the "
                        "published shortcut "
                        "and collapse are no part of it)",
                        fmt::format("medians of {}", report::kSeedsAsked),
                        verdict_text(supervision, {})});
  page.add(report::Heading{"What came out"}).add(table);
  for (const std::string& text : unjudged) page.add(text);
}

// --- a series ------------------------------------------------------------------------------------

/// Accuracies that have no threshold: hops at which the paper collapses.
void add_collapse(Texts& items, const RecurrentSeries& series) {
  if (series.subject.unit != "hops") return;
  for (const std::uint32_t hops : {10U, 12U}) {
    Texts accuracies;
    for (const std::uint32_t loops : {12U, 15U, 20U})
      if (const auto accuracy = series.base().median.at(hops, loops))
        accuracies.push_back(fmt::format("T = {}: {}", loops, fixed_text(*accuracy, 3)));
    items.push_back(fmt::format("{} hops, no threshold (published .50): {}.", hops,
                                accuracies.empty() ? "not measured" : joined(accuracies)));
  }
}

/// The row of a run's shortcut, where the task has one.
void add_shortcut(Texts& items, const RecurrentRun& run) {
  Texts shares;
  for (std::size_t i = 0; i < run.shortcut.size(); ++i)
    shares.push_back(
        fmt::format("{}: {}", run.heatmap.difficulties[i], fixed_text(run.shortcut[i], 2)));
  if (!shares.empty())
    items.push_back(fmt::format(
        "Share of the questions that two rounds of evaluation decide, by depth (seed {}): {}.",
        run.seed, joined(shares)));
}

/// `published_above`: a section before has the same figure.
void add_series(Report& page, const RecurrentSeries& series, const Data& data,
                bool published_above) {
  const RecurrentSubject& subject = series.subject;
  const RecurrentRunGroup& base = series.base();
  const PublishedHeatmap& published = *subject.published;
  const auto* graphs = base.config.task.try_as<HopTaskConfig>();
  const Data& ours = data.at("groups").at(0).at("median");
  Texts items = reading_items(subject, base.median, ours);
  add_collapse(items, series);
  add_shortcut(items, base.runs.front());
  items.emplace_back(graphs && graphs->masked
                         ? "Under the mask a step carries one hop, so a slope of 1 is expected."
                         : "Without a mask no slope is expected.");
  const report::Picture picture = series_picture(series);
  page.add(report::Heading{subject.name})
      .add(subject.explanation)
      .add(settings_text(series))
      .add(report::Figure{picture.file,
                          subject.name + ": accuracy ours and published, frontier, gate"})
      .add("Measured accuracy, " + base.seeds() +
           ", in brackets its difference to the published cell where there is one:")
      .add(heatmap_table(subject, ours, data.at("difference_to_published")))
      .add(report::List{items});
  page.add_picture(picture);
  const std::string heading =
      "Published, " + published.source + ", " + trained_text(subject, published.trained);
  const Data& theirs = data.at("published").at("heatmap");
  if (published_above)
    page.add(heading + ": above.");
  else
    page.add(heading + ":")
        .add(heatmap_table(subject, theirs, {}))
        .add(report::List{reading_items(subject, published.heatmap, theirs)});
  add_criteria(page, series, data);
  add_runs(page, series);
  add_gate(page, series, data);
}

// --- supervision ---------------------------------------------------------------------------------

std::string supervision_numbers(const SupervisionVerdict& verdict) {
  const auto side = [](const std::optional<double>& solved) {
    return solved ? whole_text(*solved) : std::string("no run");
  };
  return "the median of the largest hop count solved is " + side(verdict.solved_mean_steps) +
         " under the mean of the losses of all iterations, " + side(verdict.solved_last) +
         " under the loss after the last";
}

std::string supervision_sentence(const SupervisionVerdict& verdict) {
  const std::string numbers = supervision_numbers(verdict);
  switch (verdict.verdict()) {
    case Verdict::passed:
      return "**Passed**: " + numbers + ".";
    case Verdict::failed:
      return "**Not reproduced at this scale**: " + numbers + ", expected the first to be smaller.";
    case Verdict::undecided:
      break;
  }
  return "**Undecided**: " + numbers +
         fmt::format("; the criterion requires {} runs of each.", report::kSeedsAsked);
}

void add_supervision(Report& page, const std::optional<SupervisionComparison>& comparison) {
  const PublishedSupervision& published = kPublishedSupervision;
  page.add(report::Heading{"Supervision (DR-3)"})
      .add(
          "On `natural`: does a loss after every iteration solve fewer hops (at least .95 at some "
          "T up to 20) than one after the last?\nPublished, with enough steps out of the training "
          "range: " +
          percent_text(published.beyond_training_mean_steps) + " against " +
          published.beyond_training_last + ".");
  if (!comparison) {
    page.add("**Undecided**: there are no runs on `natural`.");
    return;
  }
  const SupervisionVerdict& verdict = comparison->verdict;
  Table table{{"loss", "seed: largest hops solved", "median", "seed: 12 hops at T = 1", "median",
               "published"}};
  const auto add = [&](const char* loss, const std::vector<SupervisionOutcome>& outcomes,
                       const std::optional<double>& solved, const std::optional<double>& shortcut,
                       double printed) {
    Texts hops, accuracies;
    for (const SupervisionOutcome& outcome : outcomes) {
      hops.push_back(fmt::format("{}: {}", outcome.seed, outcome.largest_solved));
      accuracies.push_back(fmt::format("{}: {}", outcome.seed, accuracy_text(outcome.shortcut)));
    }
    table.rows.push_back({loss, outcomes.empty() ? "none" : joined(hops),
                          solved ? whole_text(*solved) : "no run",
                          outcomes.empty() ? "none" : joined(accuracies), accuracy_text(shortcut),
                          percent_text(printed)});
  };
  add("of all iterations (mean)", comparison->mean_steps, verdict.solved_mean_steps,
      verdict.shortcut_mean_steps, published.one_loop_mean_steps);
  add("after the last iteration", comparison->last, verdict.solved_last, verdict.shortcut_last,
      published.one_loop_last);
  std::string text = supervision_sentence(verdict);
  if (verdict.shortcut_mean_steps && verdict.shortcut_last)
    text += "\nThe accuracy of 12 hops at T = 1, where the path cannot be seen, is " +
            signed_text(*verdict.shortcut_mean_steps - *verdict.shortcut_last, 3) +
            " under the loss of all iterations against the last (published " +
            signed_text(published.one_loop_mean_steps - published.one_loop_last, 2) +
            "); there is no threshold.";
  page.add(table).add(text);
}

Data published_supervision_data() {
  const PublishedSupervision& table = kPublishedSupervision;
  return {{"mean-steps",
           {{"hops_12_loops_1", table.one_loop_mean_steps},
            {"beyond_training", table.beyond_training_mean_steps}}},
          {"last",
           {{"hops_12_loops_1", table.one_loop_last},
            {"beyond_training", table.beyond_training_last}}}};
}

}  // namespace

Report depth_recurrent_report(const std::vector<RunRecord>& records) {
  const std::vector<RecurrentSeries> all = recurrent_series(records);
  const std::optional<SupervisionComparison> comparison = supervision_comparison(all);
  Report page{"depth-recurrent", "Depth-recurrent transformers"};
  page.add(kIntroduction);
  page.data = {{"schema", kSchema}, {"threshold", kSolved}, {"tasks", Data::array()}};
  for (const RecurrentSeries& series : all) page.data["tasks"].push_back(series_data(series));
  page.data["DR-3"] = supervision_data(comparison);
  page.data["published_supervision"] = published_supervision_data();
  page.data["contradictions"] = published_contradictions();
  add_summary(page, all, comparison);
  std::set<const PublishedHeatmap*> printed;
  for (std::size_t i = 0; i < all.size(); ++i)
    add_series(page, all[i], page.data.at("tasks").at(i),
               !printed.insert(all[i].subject.published).second);
  add_supervision(page, comparison);
  return page.add(report::Heading{"Where the source contradicts itself or is silent"})
      .add(report::List{published_contradictions()});
}

}  // namespace logdepth::inline learned_depth_recurrent
