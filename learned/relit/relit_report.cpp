#include "learned/relit/relit_report.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "learned/relit/published_relit.hpp"
#include "learned/relit/relit_figures.hpp"
#include "learned/relit/relit_verdicts.hpp"
#include "learned/report/report_files.hpp"

namespace logdepth {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr const char* kSchema = "logdepth/report-relit/1";

ReportJson range_json(const std::optional<SeedRange>& range) {
  if (!range) return {};
  return {{"median", range->median},
          {"least", range->least},
          {"most", range->most},
          {"seeds", range->seeds}};
}

ReportJson mean_json(const std::optional<SeedMean>& mean) {
  if (!mean) return {};
  return {{"mean", mean->mean},
          {"standard_error", mean->error ? ReportJson(*mean->error) : ReportJson()},
          {"seeds", mean->seeds}};
}

ReportJson series_json(const RelitSection& section, const RelitSeries& series) {
  const auto settings = settings_of_series(series.config);
  ReportJson json = {{"method", series.changes.empty() ? std::string("relit") : series.changes[0]},
                     {"changes", series.changes},
                     {"setting", series.setting},
                     {"backbone", series.backbone()},
                     {"states", settings["network"]["states"]},
                     {"training_samples", series.task().training_samples},
                     {"config", settings},
                     {"seeds", series.seeds()}};
  std::size_t rising = 0;
  ReportJson early = ReportJson::array();
  for (const RunEnd& end : series.ends()) {
    rising += end.rising();
    if (!end.early_end.empty()) early.push_back({{"seed", end.seed}, {"how", end.early_end}});
  }
  json["still_rising"] = rising;
  json["ended_early"] = std::move(early);
  json["layers_applied"] = series.layers_applied();
  json["macro_steps"] = series.task().macro_steps;
  json["accuracy"] = range_json(series.accuracy());
  json["mean_halting"] =
      range_json(series.range([](const RelitRun& run) { return run.mean_halting; }));
  json["mean_flips"] = range_json(series.range([](const RelitRun& run) { return run.mean_flips; }));
  json["by_proof_depth"] = ReportJson::array();
  for (const std::uint32_t depth : section.depths()) {
    const auto halting = series.halting_at(depth);
    json["by_proof_depth"].push_back(
        {{"depth", depth},
         {"accuracy",
          range_json(series.range([&](const RelitRun& run) { return run.accuracy_at(depth); }))},
         {"mean_halting",
          range_json(series.range([&](const RelitRun& run) { return run.halting_at(depth); }))},
         {"halting", halting.empty() ? ReportJson() : ReportJson(halting)}});
  }
  json["by_macro_step"] = ReportJson::array();
  for (std::size_t step = 1; step <= series.task().macro_steps; ++step)
    json["by_macro_step"].push_back(
        {{"step", step},
         {"accuracy",
          range_json(series.range([&](const RelitRun& run) { return run.accuracy_after(step); }))},
         {"change",
          range_json(series.range([&](const RelitRun& run) { return run.change_in(step); }))}});
  json["halting"] = series.halting();
  return json;
}

ReportJson section_json(const RelitSection& section) {
  const auto chance = section.chance();
  ReportJson json = {{"title", section.title()},
                     {"set", settings_of_series(section.series.front().config)["task"]["set"]},
                     {"chance", chance ? ReportJson(*chance) : ReportJson()}};
  json["series"] = ReportJson::array();
  for (const RelitSeries& series : section.series)
    json["series"].push_back(series_json(section, series));
  json["bottleneck"] = ReportJson::array();
  for (const BottleneckBar& bar : bottleneck_bars(section)) {
    const auto accuracy = [](const RelitSeries* series) {
      return series ? range_json(series->accuracy()) : ReportJson();
    };
    json["bottleneck"].push_back(
        {{"backbone", bar.relit->backbone()},
         {"states", settings_of_series(bar.relit->config)["network"]["states"]},
         {"relit", accuracy(bar.relit)},
         {"linear_probe", accuracy(bar.probe)},
         {"one_pass", accuracy(bar.once)}});
  }
  json["ablations"] = ReportJson::array();
  for (const RelitSeries* base : section.bases())
    for (const RelitSeries* series : section.ablations(*base))
      json["ablations"].push_back({{"base", base->title()},
                                   {"backbone", base->backbone()},
                                   {"changes", series->changes},
                                   {"setting", series->setting},
                                   {"accuracy", range_json(series->accuracy())},
                                   {"difference", mean_json(accuracy_difference(*series, *base))}});
  json["criteria"] = ReportJson::array();
  for (const SeriesCriterion& criterion : relit_criteria(section))
    json["criteria"].push_back(criterion_json(criterion));
  return json;
}

ReportJson published_json() {
  ReportJson rows = ReportJson::array(), sets = ReportJson::array(),
             trajectories = ReportJson::array();
  const auto& all = published_relit_data_sets();
  for (const PublishedRelitRow& row : published_relit_rows()) {
    ReportJson json = {{"model", row.model}};
    for (std::size_t i = 0; i < all.size(); ++i) json[all[i].name] = row.accuracy[i];
    json["mean"] = row.mean;
    rows.push_back(std::move(json));
  }
  for (const PublishedDataSet& set : all)
    sets.push_back({{"name", set.name},
                    {"macro_steps", set.macro_steps},
                    {"heads", set.heads},
                    {"layers", set.layers},
                    {"batch", set.batch},
                    {"learning_rate", set.learning_rate},
                    {"training_samples", set.training_samples},
                    {"test_samples", set.test_samples},
                    {"mean_halting", set.halting ? ReportJson(*set.halting) : ReportJson()}});
  for (const PublishedTrajectory& one : published_relit_trajectories())
    trajectories.push_back(
        {{"data_set", one.data_set}, {"answers", one.answers}, {"halted", one.halted}});
  return {{"accuracies", std::move(rows)},
          {"data_sets", std::move(sets)},
          {"trajectories", std::move(trajectories)},
          {"contradictions", relit_contradictions()}};
}

}  // namespace

std::string relit_json(const std::vector<RunRecord>& records) {
  ReportJson json;
  json["schema"] = kSchema;
  json["thresholds"] = {{"RL-4", {{"depth", kGainDepth}, {"gain", kGain}, {"fall", kFall}}},
                        {"RL-5", {{"correlation_above", 0}}},
                        {"RL-6", {{"difference_above", 0}}}};
  json["sections"] = ReportJson::array();
  for (const RelitSection& section : relit_sections(records))
    json["sections"].push_back(section_json(section));
  json["held_by_tests"] = ReportJson::array();
  for (const TestedCriterion& one : relit_tested_criteria())
    json["held_by_tests"].push_back(
        {{"name", one.name}, {"asks", one.asks}, {"held_by", one.held_by}});
  json["published"] = published_json();
  // Names of folders need not be UTF-8.
  return json.dump(1, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

std::vector<std::string> save_relit_report(const std::vector<RunRecord>& records,
                                           const std::string& folder) {
  const auto sections = relit_sections(records);
  return write_report_files({{"relit.md", relit_markdown(records)},
                             {"relit.json", relit_json(records)},
                             {"relit.svg", relit_figure_svg(sections)},
                             {"relit-bottleneck.svg", relit_bottleneck_svg(sections)},
                             {"relit-trajectories.svg", relit_trajectories_svg(sections)}},
                            folder);
}

}  // namespace logdepth
