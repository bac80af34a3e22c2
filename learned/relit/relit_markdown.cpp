#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/relit/published_relit.hpp"
#include "learned/relit/relit_figures.hpp"
#include "learned/relit/relit_report.hpp"
#include "learned/relit/relit_verdicts.hpp"
#include "learned/report/rank_correlation.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

using Range = std::optional<SeedRange>;

/// In a cell.
constexpr const char* kNothing = "–";

constexpr const char* kIntroduction =
    R"(# ReLIT: a recursive block on a frozen language model

A block is trained on the states of a language model whose numbers stay as they are; it revises an answer in macro steps, each
with a loss and a step of the optimiser, until a head says that the answer is right. Numbers are *measured* in the runs named
here, as medians over seeds with the least and the most of them in brackets; differences are means of differences seed by
seed, ± their standard error. Runs are *still rising* where the learning curve rose to the end of training, *ended* or
*diverged* where they did not make all their steps. *Published* is what "Think Deep, Speak Once: ReLIT" says of its own
models. A criterion that fails is **not reproduced at this scale**, with its numbers beside.

![accuracies by proof depth and macro step, halting, training samples, convergence](relit.svg)
)";

std::string cell_text(const Range& range, int digits = 3) {
  if (!range) return kNothing;
  const std::string median = fixed_text(range->median, digits);
  if (range->seeds < 2) return median;
  return fmt::format("{} ({} to {})", median, fixed_text(range->least, digits),
                     fixed_text(range->most, digits));
}

std::string seeds_cell(const RelitSeries& series) {
  std::vector<std::string> numbers;
  for (const std::uint64_t seed : series.seeds()) numbers.push_back(std::to_string(seed));
  return joined(numbers);
}

const std::vector<std::string> kSeriesColumns = {"method", "backbone", "samples", "seeds", "state"};

/// A row for every series of `all`. `cells`: of a series; where all of them are empty it has no
/// such numbers, and no row.
template <class Cells>
std::string series_table(const std::vector<const RelitSeries*>& all,
                         const std::vector<std::string>& columns, Cells cells) {
  std::vector<std::string> row = kSeriesColumns;
  row.insert(row.end(), columns.begin(), columns.end());
  std::string text = "\n" + markdown_headings(row, kSeriesColumns.size()), rows;
  for (const RelitSeries* series : all) {
    const std::vector<std::string> numbers = cells(*series);
    if (std::ranges::count(numbers, kNothing) == std::ssize(numbers)) continue;
    row = {markdown_text(series->title()), markdown_text(series->backbone()),
           std::to_string(series->task().training_samples), seeds_cell(*series),
           ends_text(series->ends())};
    row.insert(row.end(), numbers.begin(), numbers.end());
    rows += markdown_row(row);
  }
  return rows.empty() ? "\nNothing of this was measured.\n" : text + rows;
}

std::vector<const RelitSeries*> all_of(const RelitSection& section) {
  std::vector<const RelitSeries*> all;
  for (const RelitSeries& series : section.series) all.push_back(&series);
  return all;
}

std::vector<const RelitSeries*> of_several_steps(const RelitSection& section) {
  auto all = all_of(section);
  std::erase_if(all, [](const RelitSeries* series) { return series->task().macro_steps < 2; });
  return all;
}

// --- tables of a section -------------------------------------------------------------------------

std::string depth_applied(const RelitSeries& series) {
  const RelitSettings& block = series.network();
  const std::uint64_t layers = series.layers_applied();
  if (layers == 0) return kNothing;
  const bool answers_too = block.update_y == RelitSettings::UpdateY::block;
  return fmt::format("{} x {} x {} x {}{} = {}", block.macro_steps, block.recursions,
                     block.latent_steps, block.layers, answers_too ? " and the answer's" : "",
                     layers);
}

std::string accuracy_table(const RelitSection& section) {
  std::vector<std::string> columns = {"all"};
  const auto depths = section.depths();
  for (const std::uint32_t depth : depths)
    columns.push_back(fmt::format("{} {}", section.depth_name(), depth));
  columns.emplace_back("layers applied");
  const auto chance = section.chance();
  return fmt::format(
             "\nAccuracy at the halt, {} test samples a seed{}. Layers applied: macro steps x "
             "recursions x latent steps x layers of the block, what a sample passes that does not "
             "halt.\n",
             section.task().test_samples,
             chance ? fmt::format(", guessing gives {}", fixed_text(*chance, 3)) : "") +
         series_table(all_of(section), columns, [&](const RelitSeries& series) {
           std::vector<std::string> cells = {cell_text(series.accuracy())};
           for (const std::uint32_t depth : depths)
             cells.push_back(cell_text(
                 series.range([&](const RelitRun& run) { return run.accuracy_at(depth); })));
           cells.push_back(depth_applied(series));
           return cells;
         });
}

/// A table by macro step of the series that have several. `number`: of a run and a step.
template <class Number>
std::string step_table(const RelitSection& section, const std::vector<std::string>& more,
                       Number number, const auto& more_cells) {
  const auto steps = shown_steps(section.most_macro_steps());
  std::vector<std::string> columns;
  for (const std::size_t step : steps) columns.push_back(fmt::format("step {}", step));
  columns.insert(columns.end(), more.begin(), more.end());
  return series_table(of_several_steps(section), columns, [&](const RelitSeries& series) {
    std::vector<std::string> cells;
    for (const std::size_t step : steps)
      cells.push_back(
          cell_text(series.range([&](const RelitRun& run) { return number(run, step); })));
    if (std::ranges::count(cells, kNothing) == std::ssize(cells)) return cells;
    const std::vector<std::string> rest = more_cells(series);
    cells.insert(cells.end(), rest.begin(), rest.end());
    return cells;
  });
}

std::string step_tables(const RelitSection& section) {
  return "\nAccuracy after each macro step, whether a sample has halted or not; flips: how often "
         "an answer changes on the way:\n" +
         step_table(
             section, {"mean halting", "flips"},
             [](const RelitRun& run, std::size_t step) { return run.accuracy_after(step); },
             [](const RelitSeries& series) {
               return std::vector<std::string>{
                   cell_text(series.range([](const RelitRun& run) { return run.mean_halting; }), 2),
                   cell_text(series.range([](const RelitRun& run) { return run.mean_flips; }), 2)};
             }) +
         "\nChange of the answer's state in each macro step relative to the state before; states "
         "that converge have changes that fall to 0 (beyond the steps of training, and with the "
         "spectral radius: `report relit --probe RUN`):\n" +
         step_table(
             section, {}, [](const RelitRun& run, std::size_t step) { return run.change_in(step); },
             [](const RelitSeries&) { return std::vector<std::string>(); });
}

/// Mean halting by depth, the rank coefficient, and counts by macro step.
std::string halting_tables(const RelitSection& section) {
  auto all = of_several_steps(section);
  std::erase_if(all, [](const RelitSeries* series) { return !series->network().halting; });
  if (all.empty()) return "\nNo run has a head that halts.\n";
  const auto depths = section.depths();
  std::vector<std::string> columns;
  for (const std::uint32_t depth : depths)
    columns.push_back(fmt::format("{} {}", section.depth_name(), depth));
  columns.emplace_back("Spearman");
  std::string text =
      fmt::format(
          "\nMean macro step of the halt by {}. Spearman's coefficient is over these {}; "
          "so few show a direction, and are no test:\n",
          section.depth_name(), counted(depths.size(), "mean")) +
      series_table(all, columns, [&](const RelitSeries& series) {
        std::vector<std::string> cells;
        for (const std::uint32_t depth : depths)
          cells.push_back(cell_text(
              series.range([&](const RelitRun& run) { return run.halting_at(depth); }), 2));
        const auto correlation = judge_halting(series).correlation();
        cells.push_back(correlation ? signed_text(*correlation, 2) : kNothing);
        return cells;
      });
  const auto steps = shown_steps(section.most_macro_steps());
  for (const RelitSeries* base : section.bases()) {
    if (base->task().macro_steps < 2) continue;
    std::vector<std::string> row = {section.depth_name()};
    for (const std::size_t step : steps) row.push_back(fmt::format("step {}", step));
    text += fmt::format("\nSamples that halt there, {} on {}, all seeds:\n\n",
                        markdown_text(base->title()), markdown_text(base->backbone())) +
            markdown_headings(row, 1);
    const auto add_row = [&](const std::string& name, const std::vector<std::size_t>& counts) {
      std::vector<std::string> cells = {name};
      for (const std::size_t step : steps)
        cells.push_back(step <= counts.size() ? std::to_string(counts[step - 1]) : kNothing);
      text += markdown_row(cells);
    };
    for (const std::uint32_t depth : depths)
      if (const auto counts = base->halting_at(depth); !counts.empty())
        add_row(std::to_string(depth), counts);
    add_row("all", base->halting());
  }
  return text;
}

std::string bottleneck_table(const RelitSection& section) {
  std::string text =
      R"(
What the frozen states hold. The linear probe is a map of the last token's state, so that it bounds what one linear map
reads there; a block that attends to all states may find more:

![ReLIT and linear probes on each backbone](relit-bottleneck.svg)

)" + markdown_headings(
          {"backbone", "samples", "seeds", "ReLIT", "linear probe", "one pass", "ReLIT less probe"},
          3);
  for (const BottleneckBar& bar : bottleneck_bars(section)) {
    const auto accuracy = [](const RelitSeries* series) {
      return series ? cell_text(series->accuracy()) : kNothing;
    };
    const auto more = bar.probe ? accuracy_difference(*bar.relit, *bar.probe) : std::nullopt;
    text += markdown_row(
        {markdown_text(bar.relit->backbone() +
                       (bar.relit->setting.empty() ? "" : " (" + bar.relit->setting + ")")),
         std::to_string(bar.relit->task().training_samples), seeds_cell(*bar.relit),
         accuracy(bar.relit), accuracy(bar.probe), accuracy(bar.once),
         more ? difference_text(*more) : kNothing});
  }
  return text;
}

std::string samples_table(const RelitSection& section) {
  std::string rows;
  for (const RelitSeries& one : section.series) {
    const auto all = section.by_samples(one);
    if (all.size() < 2 || all.front() != &one) continue;
    std::vector<std::string> points;
    for (const RelitSeries* series : all)
      points.push_back(fmt::format("{} of {}", cell_text(series->accuracy()),
                                   counted(series->task().training_samples, "sample")));
    rows += fmt::format("- {} on {}: {}\n", markdown_text(one.title()),
                        markdown_text(one.backbone()), joined(points, "; "));
  }
  return rows.empty() ? ""
                      : "\nAccuracy by training samples, the same number of epochs:\n\n" + rows;
}

std::string ablation_tables(const RelitSection& section) {
  std::string text;
  for (const RelitSeries* base : section.bases()) {
    const auto all = section.ablations(*base);
    if (all.empty()) continue;
    text += fmt::format(
        "\nAblations of {} on {}, {} training samples. Less than two standard errors may be "
        "chance:\n\n",
        markdown_text(base->title()), markdown_text(base->backbone()),
        base->task().training_samples);
    text += markdown_headings({"changed", "seeds", "state", "accuracy", "difference"}, 3);
    text += markdown_row({"nothing", seeds_cell(*base), ends_text(base->ends()),
                          cell_text(base->accuracy()), kNothing});
    for (const RelitSeries* series : all) {
      const auto difference = accuracy_difference(*series, *base);
      text += markdown_row({markdown_text(series->title()), seeds_cell(*series),
                            ends_text(series->ends()), cell_text(series->accuracy()),
                            difference ? difference_text(*difference) : "no common seed"});
    }
  }
  return text.empty() ? "\nNo ablation was run.\n" : text;
}

std::string trajectories_text(const RelitSection& section) {
  const ShownRun shown = shown_run(section);
  if (!shown.run) return "";
  std::string text = fmt::format(
      "\nAnswers of {}, seed {}, {} on {}, after each macro step; the halt in bold "
      "(relit-trajectories.svg):\n\n",
      counted(shown.run->trajectories.size(), "test sample"), shown.run->seed,
      markdown_text(shown.series->title()), markdown_text(shown.series->backbone()));
  for (const AnswerTrajectory& one : shown.run->trajectories) {
    std::vector<std::string> answers;
    for (const std::size_t step : shown_steps(one.answers.size())) {
      const std::string answer = markdown_text(one.answers[step - 1]);
      answers.push_back(step == one.halted ? "**" + answer + "**" : answer);
    }
    text += fmt::format("- {} {}, asked for {}: {}\n", section.depth_name(), one.depth,
                        markdown_text(one.target), joined(answers, ", "));
  }
  return text;
}

std::string criteria_text(const RelitSection& section) {
  const auto criteria = relit_criteria(section);
  if (criteria.empty())
    return "\nThe criteria speak of proofs of a known depth, which are not asked here.\n";
  std::string text = "\nCriteria:\n\n";
  for (const SeriesCriterion& criterion : criteria) text += criterion_markdown(criterion, "mean");
  return text;
}

std::string section_text(const RelitSection& section, std::size_t number) {
  return fmt::format("\n## {}. {}\n", number, markdown_text(section.title())) +
         accuracy_table(section) + step_tables(section) + halting_tables(section) +
         bottleneck_table(section) + samples_table(section) + ablation_tables(section) +
         trajectories_text(section) + criteria_text(section);
}

// --- published -----------------------------------------------------------------------------------

/// Published beside ours: other tasks, under their own names.
std::string published_text(const std::vector<RelitSection>& sections) {
  std::string text = R"(
## Published

Accuracies in per cent, all published, on parts of the benchmark GLoRE. ReLIT is a block on TinyLlama (1.1 billion parameters)
trained on each part; the others are taken from the benchmark, which asks large models with few examples. Ours below are on
questions of our own, another task, on smaller language models; one that is trained here has read far less text.

)";
  const auto& sets = published_relit_data_sets();
  std::vector<std::string> row = {"model"};
  for (const PublishedDataSet& set : sets) row.push_back(set.name);
  row.emplace_back("mean");
  text += markdown_headings(row, 1);
  for (const PublishedRelitRow& published : published_relit_rows()) {
    row = {published.model + ", published"};
    for (const double accuracy : published.accuracy) row.push_back(fixed_text(accuracy, 2));
    row.push_back(fixed_text(published.mean, 2));
    text += markdown_row(row);
  }
  text += "\n" + markdown_headings({"ours", "asked", "samples", "accuracy in per cent"}, 2);
  for (const RelitSection& section : sections)
    for (const RelitSeries* base : section.bases())
      text += markdown_row({markdown_text(base->title() + " on " + base->backbone()),
                            markdown_text(section.title()),
                            std::to_string(base->task().training_samples),
                            fixed_text(100 * base->accuracy()->median, 2)});
  text += "\nSizes and mean halting depth, in macro steps, all published:\n\n" +
          markdown_headings({"data set", "macro steps at most", "heads", "layers", "batch", "rate",
                             "training", "test", "mean halting"},
                            1);
  for (const PublishedDataSet& set : sets)
    text += markdown_row({set.name, std::to_string(set.macro_steps), std::to_string(set.heads),
                          std::to_string(set.layers), std::to_string(set.batch),
                          short_text(set.learning_rate, 2), std::to_string(set.training_samples),
                          std::to_string(set.test_samples),
                          set.halting ? fixed_text(*set.halting, 1) : kNothing});
  text += "\nAnswers of one sample, published, the halt in bold:\n\n";
  for (const PublishedTrajectory& one : published_relit_trajectories()) {
    std::vector<std::string> answers = one.answers;
    answers.at(one.halted - 1) = "**" + answers.at(one.halted - 1) + "**";
    text += fmt::format("- {}: {}\n", one.data_set, joined(answers));
  }
  return text;
}

std::string tested_text() {
  std::string text = "\n## Held by tests\n\n";
  for (const TestedCriterion& one : relit_tested_criteria())
    text += fmt::format("- {}: {}. Held by {}.\n", one.name, one.asks, one.held_by);
  return text;
}

}  // namespace

std::string relit_markdown(const std::vector<RunRecord>& records) {
  const std::vector<RelitSection> sections = relit_sections(records);
  std::string text = kIntroduction;
  for (std::size_t i = 0; i < sections.size(); ++i) text += section_text(sections[i], i + 1);
  text += tested_text() + published_text(sections);
  text += "\n## Where the source contradicts itself or is silent\n\n";
  for (const std::string& note : relit_contradictions()) text += "- " + note + "\n";
  return text;
}

}  // namespace logdepth
