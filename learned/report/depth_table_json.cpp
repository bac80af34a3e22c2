#include <cmath>
#include <nlohmann/json.hpp>

#include "learned/report/depth_table.hpp"

namespace logdepth::inline learned_report {
namespace {

using Json = nlohmann::ordered_json;

Json interval_json(const std::optional<Percentiles>& interval) {
  return interval ? Json{interval->low, interval->high} : Json();
}

Json curve_json(const CurveFit& curve) {
  Json json = {{"a", curve.direct.a},
               {"b", curve.direct.b},
               {"r2", curve.direct.r2},
               {"residual", curve.direct.residual},
               {"a_interval", interval_json(curve.a)},
               {"b_interval", interval_json(curve.b)}};
  json["inverted"] =
      curve.inverse ? Json{{"a", curve.inverse->first}, {"b", curve.inverse->second}} : Json();
  return json;
}

Json cells_json(const std::vector<DepthCell>& cells, const char* name, bool width) {
  Json list = Json::array();
  for (const DepthCell& cell : cells)
    list.push_back({{name, width ? std::round(std::exp2(cell.depth)) : cell.depth},
                    {"reach", cell.reach},
                    {"censored", cell.censored},
                    {"unsettled", cell.unsettled},
                    {"seeds", cell.reaches},
                    {"censored_seeds", cell.censored_seeds},
                    {"unsettled_seeds", cell.unsettled_seeds},
                    {"absent_seeds", cell.absent_seeds},
                    {"undetermined", cell.undetermined}});
  return list;
}

Json fit_json(const DepthFit& fit) {
  Json json = {{"depths", cells_json(fit.cells, "depth", false)},
               {"censored_depths", fit.censored_depths},
               {"censored_points", fit.censored_points},
               {"unsettled_depths", fit.unsettled_depths},
               {"unsettled_points", fit.unsettled_points},
               {"undetermined_depths", fit.undetermined_depths},
               {"fitted_depths", fit.fitted_depths},
               {"fitted", fit.fitted()}};
  if (!fit.fitted()) {
    json["refusal"] = fit.refusal;
    return json;
  }
  json["logarithmic"] = curve_json(fit.logarithmic);
  json["linear"] = curve_json(fit.linear);
  json["preferred"] = growth_curve_name(fit.preferred);
  // JSON has no infinity: null where one of the curves is exact.
  json["aic_difference"] = std::isinf(fit.aic_difference) ? Json() : Json(fit.aic_difference);
  json["resamples"] = fit.resamples;
  if (fit.several_seeds > 0) json["resamples_not_fitted"] = kResamples - fit.resamples;
  json["logarithmic_wins"] = fit.logarithmic_wins;
  return json;
}

Json cost_json(const SeriesCost& cost) {
  return {{"runs", cost.runs}, {"seconds", cost.seconds}, {"processors", cost.processors}};
}

Json point_json(const RunPoint& point) {
  return {{"depth", point.point.depth},
          {"reach", point.point.reach},
          {"loose", point.loose ? Json(*point.loose) : Json()},
          {"censored", point.point.censored},
          {"interval", point.interval ? Json{point.interval->low, point.interval->high} : Json()},
          {"training", trend_name(point.trend)}};
}

Json runs_json(const LearnedRow& row) {
  Json list = Json::array();
  for (std::size_t run = 0; run < row.series.runs.size(); ++run) {
    const SeriesRun& one = row.series.runs[run];
    Json json = {{"seed", one.seed},        {"steps", one.steps},
                 {"tokens", one.tokens},    {"parameters", one.parameters},
                 {"points", Json::array()}, {"passed", Json::array()}};
    for (const RunPoint& point : row.series.points)
      if (point.run == run) json["points"].push_back(point_json(point));
    for (const PassedSize& passed : one.passed)
      json["passed"].push_back(
          {{"size", passed.size}, {"steps", passed.steps}, {"tokens", passed.tokens}});
    const auto growth = tokens_per_doubling(one.passed);
    json["tokens_per_doubling"] = growth ? Json(*growth) : Json();
    if (row.series.by_loops) json["law"] = fit_json(row.run_fits[run]);
    list.push_back(std::move(json));
  }
  return list;
}

Json growth_json(const std::optional<TokenGrowth>& growth) {
  if (!growth) return Json();
  const report::Range& factor = growth->factor;
  return {{"median", factor.median},
          {"least", factor.least},
          {"most", factor.most},
          {"runs", factor.seeds}};
}

Json learned_json(const LearnedRow& row) {
  const LearnedSeries& series = row.series;
  return {{"kind", series.kind},
          {"shape", series.shape},
          {"by_loops", series.by_loops},
          {"width", series.width},
          {"device", series.device},
          {"setting", series.setting},
          {"reach", series.reach},
          {"threshold", series.threshold},
          {"status", status_label(row.status)},
          {"law", verdict_text(row.verdict)},
          {"tokens_per_doubling", growth_json(row.tokens)},
          {"best", fit_json(row.best)},
          {"median", fit_json(row.median)},
          {"runs", runs_json(row)},
          {"diverged", series.diverged},
          {"notes", row.notes},
          {"cost", cost_json(series.cost)}};
}

Json constructed_json(const ConstructedCurve& curve) {
  Json depths = Json::array();
  for (const auto& [size, depth] : curve.depths)
    depths.push_back({{"size", size}, {"depth", depth}});
  return {{"form", form_label(curve.form)},
          {"construction", curve.construction},
          {"positions", curve.encoding},
          {"formula", curve.formula},
          {"depths", depths},
          {"slope", curve.slope ? Json(*curve.slope) : Json()},
          {"width", curve.width},
          {"numbers", curve.numbers},
          {"file_of", curve.file_of},
          {"verification", curve.verification}};
}

Json published_json(const PublishedLine& line) {
  return {{"label", "published"},
          {"problem", line.problem},
          {"kind", line.kind},
          {"law", line.text},
          {"a", line.a},
          {"b", line.b},
          {"r2", line.r2},
          {"from", line.first},
          {"to", line.last},
          {"at", line.at},
          {"source", line.source},
          {"setting", line.setting},
          {"training", line.training}};
}

Json width_json(const WidthRow& row) {
  const LearnedWidths& series = row.series;
  Json json = {{"problem", series.problem},
               {"kind", series.kind},
               {"shape", series.shape},
               {"depth", series.depth},
               {"device", series.device},
               {"setting", series.setting},
               {"reach", series.reach},
               {"widths", cells_json(row.best.cells, "width", true)},
               {"censored_widths", row.best.censored_widths},
               {"unsettled_widths", row.best.unsettled_widths},
               {"fitted", row.best.fitted()},
               {"cost", cost_json(series.cost)}};
  if (row.best.fitted()) {
    json["a"] = row.best.line.a;
    json["b"] = row.best.line.b;
    json["r2"] = row.best.line.r2;
  } else {
    json["refusal"] = row.best.refusal;
  }
  return json;
}

}  // namespace

std::string depth_table_json(const DepthTable& table) {
  Json json = {{"schema", "logdepth/compare-depth/1"},
               {"command", table.command},
               {"runs", table.records},
               {"repeated_runs", table.repeated_runs},
               {"runs_of_compiled_weights", table.constructed_runs},
               {"problems", Json::array()}};
  for (const DepthProblem& problem : table.problems) {
    Json part = {{"problem", problem.name},
                 {"size", problem.size},
                 {"published", problem.published ? published_json(*problem.published) : Json()},
                 {"constructed", Json::array()},
                 {"learned", Json::array()}};
    for (const ConstructedCurve& curve : problem.constructed)
      part["constructed"].push_back(constructed_json(curve));
    for (const LearnedRow& row : problem.learned) part["learned"].push_back(learned_json(row));
    json["problems"].push_back(std::move(part));
  }
  json["widths"] = Json::array();
  for (const WidthRow& row : table.widths) json["widths"].push_back(width_json(row));
  json["published_widths"] =
      table.published_widths ? published_json(*table.published_widths) : Json();
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace logdepth::inline learned_report
