#include "learned/relit/report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/relit/criteria.hpp"
#include "learned/relit/pictures.hpp"
#include "learned/relit/published.hpp"
#include "learned/relit/section_data.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::relit {
namespace {

using report::cell_text;
using report::Column;
using report::column;
using report::Data;
using report::Format;
using report::kNothing;
using report::Report;
using report::Row;
using report::table_of;

constexpr const char* kSchema = "logdepth/report-relit/1";
constexpr const char* kIntroduction =
    R"(A block is trained on the states of a language model whose weights are frozen; it revises an answer in macro steps, each
with a loss and a step of the optimiser, until a head predicts that the answer is right. Values are *measured* in the runs named
here, as medians over seeds with the least and the most of them in brackets; differences are means of differences seed by
seed, ± their standard error. Runs are *still improving* where the learning curve rose to the end of training, *ended* or
*diverged* where they did not make all their steps. *Published* values are those of "Think Deep, Speak Once: ReLIT" for its
own models. A criterion that fails is **not reproduced at this scale**, and its values are printed with it.)";
constexpr const char* kBottleneckText =
    R"(What the frozen states hold. The linear probe is a map of the last token's state, so that it bounds what one linear map
reads there; a block that attends to all states may find more:)";
constexpr const char* kPublishedText =
    R"(Accuracies in per cent, all published, on parts of the benchmark GLoRE. ReLIT is a block on TinyLlama (1.1 billion parameters)
trained on each part; the others are taken from the benchmark, which prompts large models with few examples. The values
below that are measured here are on other questions, another task, on smaller language models; one that is trained here has read far less text.)";

report::Table series_table(const std::vector<Row>& rows, const std::vector<Column>& columns) {
  return table_of({"method", "backbone", "samples", "seeds", "state"}, columns, rows,
                  "Nothing of this was measured.");
}

/// Columns of a number at every item of a list: "proof depth 3", `name` of the second at "/1".
std::vector<Column> columns_over(const std::string& name, const std::vector<std::size_t>& numbers,
                                 const std::string& list, const std::string& number,
                                 std::size_t first, int digits) {
  std::vector<Column> columns;
  for (const std::size_t at : numbers)
    columns.push_back(column(fmt::format("{} {}", name, at),
                             fmt::format("{}/{}{}", list, first++, number), Format{digits}));
  return columns;
}

std::vector<Column> depth_columns(const Section& section, const std::string& number, int digits) {
  const auto depths = section.depths();
  return columns_over(section.depth_name(), {depths.begin(), depths.end()}, "/by_proof_depth",
                      number, 0, digits);
}

/// Of the macro steps that there is room for.
std::vector<Column> step_columns(const Section& section, const std::string& list,
                                 const std::string& number) {
  std::vector<Column> columns;
  for (const std::size_t step : shown_steps(section.most_macro_steps()))
    columns.push_back(
        column(fmt::format("step {}", step), fmt::format("{}/{}{}", list, step - 1, number)));
  return columns;
}

bool of_several_steps(const Data& series) {
  return series.at("macro_steps") > 1;
}

// --- a section -----------------------------------------------------------------------------------

std::string depth_applied(const Data& series) {
  const Data& block = series.at("config").at("network");
  if (series.at("layers_applied") == 0) return kNothing;
  const auto count = [&](const char* name) { return block.at(name).get<std::uint32_t>(); };
  return fmt::format("{} x {} x {} x {}{} = {}", count("macro_steps"), count("recursions"),
                     count("latent_steps"), count("layers"),
                     block.at("update_y") == "block" ? " and the answer's" : "",
                     series.at("layers_applied").get<std::uint64_t>());
}

void add_accuracies(Report& page, const SectionData& all) {
  const auto chance = all.section.chance();
  std::vector<Column> columns = depth_columns(all.section, "/accuracy", 3);
  columns.insert(columns.begin(), column("all", "/accuracy"));
  columns.push_back({"layers applied", depth_applied});
  page.add(
          fmt::format("Accuracy at the halt, {} test samples a seed{}. Layers applied: macro steps "
                      "x recursions x latent steps x layers of the block, what a sample passes "
                      "that does not halt.",
                      all.section.task().test_samples,
                      chance ? fmt::format(", guessing gives {}", fixed_text(*chance, 3)) : ""))
      .add(series_table(all.rows, columns));
}

void add_steps(Report& page, const SectionData& all) {
  const auto rows = report::rows_where(all.rows, of_several_steps);
  std::vector<Column> columns = step_columns(all.section, "/by_macro_step", "/accuracy");
  columns.push_back(column("mean halting", "/mean_halting", {2}));
  columns.push_back(column("flips", "/mean_flips", {2}));
  page.add(
          "Accuracy after each macro step, whether a sample has halted or not; flips: how often an "
          "answer changes on the way:")
      .add(series_table(rows, columns))
      .add(
          "Change of the answer's state in each macro step relative to the state before; states "
          "that converge have changes that fall to 0 (beyond the steps of training, and with the "
          "spectral radius: `report relit --probe RUN`):")
      .add(series_table(rows, step_columns(all.section, "/by_macro_step", "/change")));
}

/// Mean halting by depth, the rank coefficient, and counts by macro step.
void add_halting(Report& page, const SectionData& all) {
  const Section& section = all.section;
  const auto rows = report::rows_where(all.rows, [](const Data& series) {
    return of_several_steps(series) && series.at("config").at("network").at("halting") == true;
  });
  if (rows.empty()) {
    page.add("No run has a head that halts.");
    return;
  }
  std::vector<Column> columns = depth_columns(section, "/mean_halting", 2);
  columns.push_back({"Spearman", [&](const Data& series) {
                       const auto of_row = std::ranges::find(all.rows, series, &Row::data);
                       const auto at = static_cast<std::size_t>(of_row - all.rows.begin());
                       const auto found = halting_correlation(mean_halts(section.series[at]));
                       return found ? signed_text(*found, 2) : kNothing;
                     }});
  page.add(
          fmt::format("Mean macro step of the halt by {}. Spearman's coefficient is over these {}; "
                      "so few show a direction, and are no test:",
                      section.depth_name(), counted(section.depths().size(), "mean")))
      .add(series_table(rows, columns));
  for (const Series* base : section.bases()) {
    if (base->task().macro_steps < 2) continue;
    const Data& data = all.rows[static_cast<std::size_t>(base - section.series.data())].data;
    std::vector<Row> counts;
    for (const Data& score : data.at("by_proof_depth"))
      if (!score.at("halting").is_null())
        counts.push_back({{score.at("depth").dump()}, score.at("halting")});
    counts.push_back({{"all"}, data.at("halting")});
    page.add(fmt::format("Samples that halt there, {} on {}, all seeds:",
                         markdown_text(base->title()), markdown_text(base->backbone())))
        .add(table_of({section.depth_name()}, step_columns(section, "", ""), counts));
  }
}

void add_bottleneck(Report& page, const SectionData& all) {
  std::vector<Row> rows;
  for (const Bottleneck& one : all.bottlenecks) rows.push_back(one.row);
  page.add(kBottleneckText)
      .add(report::Figure{"relit-bottleneck.svg", "ReLIT and linear probes on each backbone"})
      .add(table_of(
          {"backbone", "samples", "seeds"},
          {column("ReLIT", "/relit"), column("linear probe", "/linear_probe"),
           column("one pass", "/one_pass"), column("ReLIT less probe", "/more", {.sign = true})},
          rows));
}

void add_samples(Report& page, const Section& section) {
  report::List list;
  for (const Series& one : section.series) {
    const auto all = section.by_samples(one);
    if (all.size() < 2 || all.front() != &one) continue;
    std::vector<std::string> points;
    for (const Series* series : all)
      points.push_back(fmt::format("{} of {}", cell_text(report::data_of(series->accuracy())),
                                   counted(series->task().training_samples, "sample")));
    list.items.push_back(fmt::format("{} on {}: {}", markdown_text(one.title()),
                                     markdown_text(one.backbone()), joined(points, "; ")));
  }
  if (!list.items.empty())
    page.add("Accuracy by training samples, the same number of epochs:").add(list);
}

void add_ablations(Report& page, const SectionData& all) {
  const Section& section = all.section;
  const auto row_of = [&](const Series& series, const std::string& name, const Data& difference) {
    return Row{{name, series.seeds_cell(), ends_text(series.ends())},
               {{"accuracy", report::data_of(series.accuracy())}, {"difference", difference}}};
  };
  bool any = false;
  const Data* ablation = all.data.at("ablations").empty() ? nullptr : &all.data["ablations"][0];
  for (const Series* base : section.bases()) {
    std::vector<Row> rows = {row_of(*base, "nothing", {})};
    for (const Series* series : section.ablations(*base)) {
      const Data& difference = ablation++->at("difference");
      rows.push_back(row_of(*series, markdown_text(series->title()),
                            difference.is_null() ? Data("no common seed") : difference));
    }
    if (rows.size() == 1) continue;
    any = true;
    page.add(
            fmt::format("Ablations of {} on {}, {} training samples. Less than two standard errors "
                        "may be chance:",
                        markdown_text(base->title()), markdown_text(base->backbone()),
                        base->task().training_samples))
        .add(table_of(
            {"changed", "seeds", "state"},
            {column("accuracy", "/accuracy"), column("difference", "/difference", {.sign = true})},
            rows));
  }
  if (!any) page.add("No ablation was run.");
}

void add_trajectories(Report& page, const Section& section) {
  const ShownRun shown = shown_run(section);
  if (!shown.run) return;
  report::List list;
  for (const AnswerTrajectory& one : shown.run->trajectories) {
    std::vector<std::string> answers;
    for (const std::size_t step : shown_steps(one.answers.size())) {
      const std::string answer = markdown_text(one.answers[step - 1]);
      answers.push_back(step == one.halted ? "**" + answer + "**" : answer);
    }
    list.items.push_back(fmt::format("{} {}, target {}: {}", section.depth_name(), one.depth,
                                     markdown_text(one.target), joined(answers)));
  }
  page.add(fmt::format("Answers of {}, seed {}, {} on {}, after each macro step; the halt in bold "
                       "(relit-trajectories.svg):",
                       counted(list.items.size(), "test sample"), shown.run->end.seed,
                       markdown_text(shown.series->title()),
                       markdown_text(shown.series->backbone())))
      .add(list);
}

void add_section(Report& page, const SectionData& all, std::size_t number) {
  page.add(report::Heading{fmt::format("{}. {}", number, markdown_text(all.section.title()))});
  add_accuracies(page, all);
  add_steps(page, all);
  add_halting(page, all);
  add_bottleneck(page, all);
  add_samples(page, all.section);
  add_ablations(page, all);
  add_trajectories(page, all.section);
  const auto criteria = criteria_of(all.section);
  if (criteria.empty())
    page.add("The criteria are about proofs of a known depth, which this data does not have.");
  else
    page.add("Criteria:").add(report::Criteria{criteria, "mean"});
  page.data["sections"].push_back(all.data);
}

// --- published -----------------------------------------------------------------------------------

/// Published beside ours: other tasks, under their own names.
void add_published(Report& page, const std::vector<SectionData>& sections) {
  const Data& all = page.data["published"];
  std::vector<Column> columns = {{"model", [](const Data& row) {
                                    return row.at("model").get<std::string>() + ", published";
                                  }}};
  for (const Data& set : all.at("data_sets"))
    columns.push_back(column(set.at("name"), "/" + set.at("name").get<std::string>(), {2}));
  columns.push_back(column("mean", "/mean", {2}));
  report::Table ours{{"ours", "asked", "samples", "accuracy in per cent"}, 2};
  for (const SectionData& one : sections)
    for (const Series* base : one.section.bases())
      ours.rows.push_back({markdown_text(base->on_backbone()), markdown_text(one.section.title()),
                           std::to_string(base->task().training_samples),
                           fixed_text(100 * base->accuracy()->median, 2)});
  report::List answers;
  for (const Data& one : all.at("trajectories")) {
    auto words = one.at("answers").get<std::vector<std::string>>();
    std::string& halt = words.at(one.at("halted").get<std::size_t>() - 1);
    halt = "**" + halt + "**";
    answers.items.push_back(one.at("data_set").get<std::string>() + ": " + joined(words));
  }
  page.add(report::Heading{"Published"})
      .add(kPublishedText)
      .add(table_of(all.at("accuracies"), columns, 1))
      .add(ours)
      .add("Sizes and mean halting depth, in macro steps, all published:")
      .add(table_of(
          all.at("data_sets"),
          {column("data set", "/name"), column("macro steps at most", "/macro_steps"),
           column("heads", "/heads"), column("layers", "/layers"), column("batch", "/batch"),
           column("rate", "/learning_rate", {.digits = 2, .shortest = true}),
           column("training", "/training_samples"), column("test", "/test_samples"),
           column("mean halting", "/mean_halting", {1})},
          1))
      .add("Answers of one sample, published, the halt in bold:")
      .add(answers)
      .add(report::Heading{"Where the source contradicts itself or is silent"})
      .add(report::List{all.at("contradictions")});
}

}  // namespace

Report make_report(const std::vector<RunRecord>& records) {
  std::vector<SectionData> sections;
  for (Section& section : sections_of(records)) sections.push_back(section_data(section));
  Report page{"relit", "ReLIT: a recursive block on a frozen language model"};
  page.add(kIntroduction)
      .add(report::Figure{"relit.svg",
                          "accuracies by proof depth and macro step, halting, training samples, "
                          "convergence"});
  page.data = {{"schema", kSchema}, {"thresholds", thresholds()}, {"sections", Data::array()}};
  for (std::size_t i = 0; i < sections.size(); ++i) add_section(page, sections[i], i + 1);
  report::List tested;
  page.data["held_by_tests"] = tested_criteria();
  for (const Data& one : page.data["held_by_tests"])
    tested.items.push_back(fmt::format("{}: {}. Held by {}.", one.at("name").get<std::string>(),
                                       one.at("asks").get<std::string>(),
                                       one.at("held_by").get<std::string>()));
  page.add(report::Heading{"Held by tests"}).add(tested);
  page.data["published"] = published();
  add_published(page, sections);
  return page.add_picture(accuracy_picture(sections))
      .add_picture(bottleneck_picture(sections))
      .add_picture(trajectory_picture(sections));
}

}  // namespace logdepth::relit
