#include "learned/latent_reasoning/latent_reasoning_report.hpp"

#include <algorithm>
#include <optional>

#include "learned/latent_reasoning/latent_figure.hpp"
#include "learned/latent_reasoning/latent_runs.hpp"
#include "learned/latent_reasoning/latent_verdicts.hpp"
#include "learned/latent_reasoning/published_latent_reasoning.hpp"
#include "learned/report/report_files.hpp"

namespace logdepth {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr const char* kSchema = "logdepth/report-latent-reasoning/1";

ReportJson range_json(const report::Range& range) {
  return {{"median", range.median},
          {"least", range.least},
          {"most", range.most},
          {"seeds", range.seeds}};
}

ReportJson range_or_null(const std::optional<report::Range>& range) {
  return range ? range_json(*range) : ReportJson();
}

ReportJson by_depth_ranges(const std::map<std::uint32_t, report::Range>& ranges) {
  ReportJson json = ReportJson::array();
  for (const auto& [depth, range] : ranges) {
    ReportJson entry = {{"depth", depth}};
    entry.update(range_json(range));
    json.push_back(std::move(entry));
  }
  return json;
}

/// A number of every cell that has it. `number`: of a LatentCell, an optional.
template <class Number>
ReportJson by_cell(const LatentSeries& series, Number number) {
  ReportJson json = ReportJson::array();
  for (const LatentCell& first : series.runs.front().cells) {
    const auto range = series.range([&](const LatentRun& run) -> std::optional<double> {
      const LatentCell* cell = run.at(first.cell);
      return cell ? number(*cell) : std::nullopt;
    });
    if (!range) continue;
    ReportJson entry = {{"generator", graph_generator_name(first.cell.generator)},
                        {"nodes", first.cell.nodes},
                        {"graphs", first.graphs}};
    entry.update(range_json(*range));
    json.push_back(std::move(entry));
  }
  return json;
}

ReportJson series_json(const LatentSection& section, const LatentSeries& series) {
  using Number = std::optional<double>;
  ReportJson json = {{"row", latent_rows()[series.row].name},
                     {"title", series.title()},
                     {"setting", series.setting},
                     {"config", settings_of_series(series.config)},
                     {"seeds", series.seeds()},
                     {"still_rising", series.rising()}};
  json["ended_early"] = ReportJson::array();
  for (const LatentRun& run : series.runs)
    if (!run.early_end.empty())
      json["ended_early"].push_back({{"seed", run.seed}, {"how", run.early_end}});
  json["weights"] =
      series.constructed() ? ReportJson(series.config.constructed->weights) : ReportJson();
  json["layers_per_iteration"] =
      series.constructed() ? ReportJson(series.runs.front().layers_per_iteration) : ReportJson();
  json["solved"] = by_cell(series, [](const LatentCell& cell) { return Number(cell.solved); });
  json["nodes"] = by_cell(series, [](const LatentCell& cell) { return Number(cell.nodes); });
  json["structure"] = by_cell(series, [](const LatentCell& cell) { return cell.structure; });
  json["hit_nodes"] = by_cell(series, [](const LatentCell& cell) {
    return cell.recovery ? cell.recovery->hit_nodes : Number();
  });
  json["graphs_after_errors"] = by_cell(series, [](const LatentCell& cell) {
    return cell.recovery ? Number(cell.recovery->graphs) : Number();
  });
  json["solved_by_depth"] = by_depth_ranges(series.solved_by_depth(section.generator_of_depths()));
  json["iterations_by_depth"] = by_depth_ranges(series.iterations_by_depth());
  json["slope"] = range_or_null(series.slope());
  json["settled"] = range_or_null(series.range([](const LatentRun& run) {
    return run.settling ? Number(run.settling->settled) : Number();
  }));
  return json;
}

ReportJson section_json(const LatentSection& section) {
  const GraphTaskSettings& task = section.task();
  ReportJson json = {{"title", section.title()},
                     {"trained_nodes", {task.least_nodes, task.most_nodes}},
                     {"generator", graph_generator_name(task.graphs.generator)}};
  json["not_run"] = ReportJson::array();
  for (const LatentRow& row : latent_rows())
    if (section.of(row.name).empty()) json["not_run"].push_back(row.name);
  json["series"] = ReportJson::array();
  for (const LatentSeries& series : section.series)
    json["series"].push_back(series_json(section, series));
  json["criteria"] = report::data_of(latent_criteria(section));
  return json;
}

ReportJson published_json() {
  ReportJson methods = ReportJson::array();
  for (const PublishedMethod& method : published_latent_methods())
    methods.push_back({{"method", method.method},
                       {"says", method.says},
                       {"near_perfect_to", method.near_perfect_to},
                       {"usable_to", method.usable_to},
                       {"source", method.source}});
  return {{"methods", std::move(methods)}, {"contradictions", latent_reasoning_contradictions()}};
}

}  // namespace

std::string latent_reasoning_json(const std::vector<RunRecord>& records) {
  ReportJson json;
  json["schema"] = kSchema;
  json["thresholds"] = {
      {"LO-3",
       {{"trained", kSolvedTrained}, {"twice", kSolvedTwice}, {"end_to_end", kEndToEndTwice}}},
      {"LO-4", {{"slope_range", kSlopeRange}}},
      {"LO-5", {{"recovered", kRecovered}}},
      {"LO-6", {{"share", kNoOracleShare}, {"nodes", kNoOracleNodes}}}};
  json["sections"] = ReportJson::array();
  for (const LatentSection& section : latent_sections(records))
    json["sections"].push_back(section_json(section));
  json["published"] = published_json();
  // Names of files need not be UTF-8.
  return json.dump(1, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

std::string latent_reasoning_svg(const std::vector<RunRecord>& records) {
  return latent_figure_svg(latent_sections(records));
}

std::vector<std::string> save_latent_reasoning_report(const std::vector<RunRecord>& records,
                                                      const std::string& folder) {
  return write_report_files({{"latent-reasoning.md", latent_reasoning_markdown(records)},
                             {"latent-reasoning.json", latent_reasoning_json(records)},
                             {"latent-reasoning.svg", latent_reasoning_svg(records)}},
                            folder);
}

}  // namespace logdepth
