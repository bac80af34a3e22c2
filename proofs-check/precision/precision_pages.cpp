#include "proofs-check/precision/precision_pages.hpp"

#include <nlohmann/json.hpp>

#include "proofs-check/precision/precision_figure.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;
using nlohmann::json;

json point_json(const PrecisionPoint& point) {
  return {{"construction", point.series},
          {"quantity", quantity_name(point.quantity)},
          {"scores", scores_name(point.scores)},
          {"size", point.size},
          {"tokens", point.tokens},
          {"value", point.value ? json(*point.value) : json()},
          {"weights", point.weights}};
}

json curve_json(const PrecisionSeries& series, const std::vector<PrecisionPoint>& points) {
  const auto fit = fit_curve(points);
  return {{"construction", series.name},
          {"quantity", quantity_name(points.front().quantity)},
          {"scores", scores_name(points.front().scores)},
          {"argument", series.in_tokens ? "tokens" : series.unit},
          {"slope", fit ? json(fit->a) : json()},
          {"intercept", fit ? json(fit->b) : json()},
          {"residual", fit ? json(fit->root_mean_square()) : json()},
          {"points", fit ? json(fit->points) : json(0)}};
}

}  // namespace

std::string precision_json(const PrecisionReport& report) {
  json out = {{"schema", "logdepth/report-precision/1"},
              {"command", report.command},
              {"seed", report.seed},
              {"points", json::array()},
              {"laws", json::array()},
              {"first_wrong_positions", json::array()},
              {"prototype", json::array()}};
  for (const PrecisionPoint& point : report.points) out["points"].push_back(point_json(point));
  for (const PrecisionSeries& series : precision_series())
    for (const Quantity quantity :
         {Quantity::bits, Quantity::certified_bits, Quantity::temperature}) {
      for (const Scores scores : {Scores::product, Scores::distance}) {
        const auto points = points_of(report, series.name, quantity, scores);
        if (!points.empty()) out["laws"].push_back(curve_json(series, points));
      }
      if (const PrototypeCurve* curve = prototype_curve(series.name, quantity))
        out["prototype"].push_back({{"construction", series.name},
                                    {"quantity", quantity_name(quantity)},
                                    {"points", curve->points},
                                    {"law", curve->curve}});
    }
  for (const FirstWrong& found : report.first_wrong)
    out["first_wrong_positions"].push_back(
        {{"key", position_key_name(found.key)},
         {"format", float_format_name(found.format)},
         {"scores", score_form_name(found.form)},
         {"searched_below", found.limit},
         {"position", found.position ? json(*found.position) : json()}});
  return out.dump(1) + "\n";
}

void save_precision_report(const PrecisionReport& report, const std::string& folder) {
  write_whole_file(folder + "/precision.md", precision_markdown(report));
  write_whole_file(folder + "/precision.json", precision_json(report));
  write_whole_file(folder + "/precision.svg", precision_svg(report));
}

}  // namespace logdepth
