#include "learned/encode_think_decode/etd_report.hpp"

#include <fmt/core.h>

#include "learned/encode_think_decode/etd_figure.hpp"
#include "learned/encode_think_decode/etd_verdicts.hpp"
#include "learned/encode_think_decode/published_etd.hpp"
#include "learned/report/report_files.hpp"
#include "logdepth/errors.hpp"

namespace logdepth {
namespace {

using ReportJson = nlohmann::ordered_json;

constexpr const char* kSchema = "logdepth/report-etd/1";

ReportJson mean_json(const std::optional<report::Mean>& mean) {
  if (!mean) return {};
  return {{"mean", mean->mean},
          {"error", mean->error ? ReportJson(*mean->error) : ReportJson()},
          {"seeds", mean->seeds}};
}

ReportJson series_json(const EtdSection& section, const EtdSeries& series) {
  ReportJson json = {{"shape", shape_name(series.shape)}, {"passes", series.passes()}};
  json["seeds"] = ReportJson::array();
  for (const EtdRun& run : series.runs) json["seeds"].push_back(run.end.seed);
  json["state"] = series.state();
  json["accuracy"] = json["loops"] = json["change"] = ReportJson::object();
  for (const std::string& kind : section.columns()) {
    json["accuracy"][kind] = mean_json(series.accuracy(kind));
    if (const auto loops = series.loops(kind)) json["loops"][kind] = mean_json(loops);
    if (const auto change = section.change(series, kind))
      json["change"][kind] = {{"once", mean_json(change->once)},
                              {"changed", mean_json(change->changed)},
                              {"difference", mean_json(change->difference)},
                              {"relative", mean_json(change->relative)}};
  }
  return json;
}

ReportJson section_json(const EtdSection& section, bool base) {
  ReportJson json = {{"title", section.title()}};
  if (!base) {
    json["base"] = section.config.initial_weights;
    json["cut"] = cut_text(section.cut);
  }
  json["series"] = ReportJson::array();
  for (const EtdSeries& series : section.series)
    json["series"].push_back(series_json(section, series));
  if (base) return json;
  json["criteria"] = report::data_of(etd_criteria(section));
  return json;
}

ReportJson shapes_json(const std::vector<PublishedShape>& shapes) {
  ReportJson json = ReportJson::array();
  for (const PublishedShape& shape : shapes)
    json.push_back({{"shape", shape.shape},
                    {"passes", shape.passes},
                    {"accuracy", shape.accuracy},
                    {"compares", shape.compares}});
  return json;
}

ReportJson published_json() {
  ReportJson json = {{"groups", kEtdGroups}, {"cuts", ReportJson::array()}};
  for (const PublishedCut& cut : kPublishedCuts)
    json["cuts"].push_back({{"model", cut.model}, {"cut", cut_text(cut.cut)}});
  json["loops"] = ReportJson::array();
  for (const PublishedLoops& row : published_loops())
    json["loops"].push_back(
        {{"loops", row.loops},
         {"passes", row.passes},
         {"accuracy", row.accuracy},
         {"relative", row.relative ? ReportJson(*row.relative) : ReportJson()}});
  json["tasks"] = ReportJson::array();
  for (const PublishedTask& task : published_tasks())
    json["tasks"].push_back(
        {{"name", task.name}, {"group", kEtdGroups[task.group]}, {"accuracy", task.accuracy}});
  json["shapes"] = shapes_json(published_shapes());
  json["large_shapes"] = shapes_json(published_large_shapes());
  json["contradictions"] = etd_contradictions();
  return json;
}

}  // namespace

EtdFindings etd_findings(const ReportRuns& runs) {
  EtdFindings found{etd_runs(runs.records), {}, {}};
  for (const Measurement& measurement : runs.measurements)
    if (measurement.kind() == kAngularMeasurement)
      found.distances.push_back(angular_distances_from_json(measurement.json, measurement.file));
  for (const Measurement& measurement : runs.measurements) {
    if (measurement.kind() != kLoopsMeasurement) continue;
    LoopsPicture picture{loops_from_json(measurement.json, measurement.file), std::nullopt};
    for (const AngularDistances& distances : found.distances)
      if (!picture.cut && distances.model == picture.measured.model) picture.cut = distances.cut();
    found.loops.push_back(std::move(picture));
  }
  if (found.runs.sections.empty() && found.runs.bases.empty() && found.distances.empty() &&
      found.loops.empty())
    throw InputError(
        "RUNS: expected at least one run of the task lines, as 'train etd' leaves them, or a "
        "measurement of 'lm angular' or 'lm loops'");
  return found;
}

std::string etd_json(const ReportRuns& runs) {
  const EtdFindings found = etd_findings(runs);
  ReportJson json = {{"schema", kSchema}, {"distances", ReportJson::array()}};
  for (const AngularDistances& one : found.distances) json["distances"].push_back(to_json(one));
  json["loops"] = ReportJson::array();
  for (const LoopsPicture& one : found.loops) json["loops"].push_back(to_json(one.measured));
  json["bases"] = json["sections"] = ReportJson::array();
  for (const EtdSection& base : found.runs.bases) json["bases"].push_back(section_json(base, true));
  for (const EtdSection& section : found.runs.sections)
    json["sections"].push_back(section_json(section, false));
  json["criteria"] = report::data_of(std::vector{cut_criterion(found.distances)});
  json["published"] = published_json();
  // Names of files need not be UTF-8.
  return json.dump(1, ' ', false, ReportJson::error_handler_t::replace) + "\n";
}

std::vector<std::string> save_etd_report(const ReportRuns& runs, const std::string& folder) {
  const EtdFindings found = etd_findings(runs);
  std::vector<report::File> files = {{"etd.md", etd_markdown(runs)}, {"etd.json", etd_json(runs)}};
  if (!found.runs.sections.empty()) files.push_back({"etd.svg", etd_svg(found.runs.sections)});
  if (!found.distances.empty()) files.push_back({"etd-angular.svg", angular_svg(found.distances)});
  if (!found.loops.empty()) files.push_back({"etd-loops.svg", loops_svg(found.loops)});
  return write_report_files(files, folder);
}

}  // namespace logdepth
