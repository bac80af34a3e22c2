#include "learned/depth_recurrent/runs_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

using report::Data;
using report::Report;
using report::Table;
using Texts = std::vector<std::string>;

/// Steps at which the table of gate readings looks; the picture has all.
constexpr std::size_t kFirstSteps = 4, kStepsApart = 4;

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

Texts group_headings(const RecurrentSeries& series) {
  const TrainedRange trained = series.base().trained();
  return {"what differs",
          "largest " + series.subject.unit + " solved",
          "slope of the frontier",
          fmt::format("{} at T = {}", series.subject.difficulty(trained.hardest), trained.most),
          "overthinking",
          "seeds",
          "learning curve"};
}

Texts group_row(const RecurrentSeries& series, const RecurrentRunGroup& group,
                const std::string& name) {
  using Number = std::optional<double>;
  const TrainedRange trained = series.base().trained();
  const auto cell = [&](auto number, const std::function<std::string(double)>& text) {
    return with_seeds(
        group,
        [&](const RecurrentRun& run) -> Number {
          return number(read_heatmap(run.heatmap, trained));
        },
        text);
  };
  const auto digits = [](int count) {
    return [count](double value) { return fixed_text(value, count); };
  };
  Data seeds = Data::array();
  for (const RecurrentRun& run : group.runs) seeds.push_back(run.seed);
  return {name,
          cell([](const HeatmapReading& one) { return Number(one.largest_solved); }, whole_text),
          cell(
              [](const HeatmapReading& one) {
                return one.fit.line ? Number(one.fit.line->a) : std::nullopt;
              },
              digits(2)),
          cell([](const HeatmapReading& one) { return one.trained; }, digits(3)),
          cell([](const HeatmapReading& one) { return Number(one.overthinking); }, digits(3)),
          report::cell_text(seeds),
          state_text(group)};
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

void add_ablations(Report& page, const RecurrentSeries& series, const std::string& title,
                   const std::vector<const RecurrentRunGroup*>& groups) {
  if (groups.empty()) return;
  Table table{group_headings(series)};
  table.rows = {group_row(series, series.base(), "base: " + markdown_text(base_label(groups)))};
  for (const RecurrentRunGroup* group : groups)
    table.rows.push_back(
        group_row(series, *group, markdown_text(ablation_label(group->differences))));
  page.add("Ablation " + title + ":").add(table);
}

}  // namespace

/// Whole difficulties, and halves that a median of an even number of seeds can give.
std::string whole_text(double value) {
  return fixed_text(value, value == std::floor(value) ? 0 : 1);
}

std::string trained_text(const RecurrentSubject& subject, const TrainedRange& trained) {
  std::string text =
      fmt::format("trained on {} {} to {}", subject.unit, trained.easiest, trained.hardest);
  return text + (trained.least == trained.most
                     ? fmt::format(" with T = {}", trained.least)
                     : fmt::format(" with T uniform in {} to {}", trained.least, trained.most));
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
  return text;
}

void add_runs(Report& page, const RecurrentSeries& series) {
  Table base{group_headings(series)};
  base.rows = {group_row(series, series.base(), "base")};
  page.add("Runs of the base:").add(base);
  Texts missing;
  for (const RecurrentAblation ablation : kRecurrentAblations) {
    const auto groups = series.of(ablation);
    if (groups.empty() && has_ablation(series.base().config.task, ablation))
      missing.emplace_back(ablation_name(ablation));
    add_ablations(page, series, "`" + std::string(ablation_name(ablation)) + "`", groups);
  }
  add_ablations(page, series, "of several parts", series.of_several());
  if (!missing.empty()) page.add("Ablations without runs here: " + joined(missing) + ".");
}

void add_gate(Report& page, const RecurrentSeries& series, const Data& data) {
  Table table{{"run", "step"}};
  std::vector<std::pair<std::string, Data>> rows;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < series.groups.size(); ++i) {
    const RecurrentRunGroup& group = series.groups[i];
    if (i > 0 && group.ablations != std::vector{RecurrentAblation::gate}) continue;
    rows.emplace_back(i == 0 ? "base" : markdown_text(ablation_label(group.differences)),
                      data.at("groups").at(i).at("loop_readings"));
    steps = std::max(steps, rows.back().second.size());
  }
  if (steps == 0) return;
  std::vector<std::size_t> shown;
  for (std::size_t step = 1; step <= steps; ++step)
    if (step <= kFirstSteps || step % kStepsApart == 0 || step == steps) shown.push_back(step);
  for (const std::size_t step : shown) table.headings.push_back(std::to_string(step));
  for (const auto& [name, readings] : rows)
    for (const auto& [what, value] :
         {std::pair("gate share", "gate_share"), {"change", "change"}}) {
      if (readings.empty()) continue;
      Texts& row = table.rows.emplace_back(Texts{name, what});
      for (const std::size_t step : shown)
        row.push_back(step <= readings.size()
                          ? fixed_text(readings.at(step - 1).at(value).get<double>(), 3)
                          : "");
    }
  page.add("Gate and state, step by step:").add(table);
}

}  // namespace logdepth::inline learned_depth_recurrent
