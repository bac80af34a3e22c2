#include "learned/depth_recurrent/series_data.hpp"

#include <filesystem>
#include <string>

namespace logdepth::inline learned_depth_recurrent {
namespace {

using Json = report::Data;

Json cells_json(const std::vector<HeatmapCell>& cells) {
  Json json = Json::array();
  for (const HeatmapCell& cell : cells)
    json.push_back(
        {{"difficulty", cell.difficulty}, {"loops", cell.loops}, {"accuracy", cell.accuracy}});
  return json;
}

Json points_json(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points) {
  Json json = Json::array();
  for (const auto& [loops, difficulty] : points)
    json.push_back({{"loops", loops}, {"difficulty", difficulty}});
  return json;
}

Json trained_json(const TrainedRange& trained) {
  return {{"difficulty", {trained.easiest, trained.hardest}},
          {"loops", {trained.least, trained.most}}};
}

Json readings_json(const std::vector<LoopReading>& readings) {
  Json json = Json::array();
  for (const LoopReading& reading : readings)
    json.push_back({{"gate_share", reading.gate_share}, {"change", reading.change}});
  return json;
}

/// Ours minus published; null where the paper has no such cell.

Json difference_json(const AccuracyHeatmap& ours, const AccuracyHeatmap& published) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < ours.difficulties.size(); ++row) {
    Json& cells = rows.emplace_back(Json::array());
    for (std::size_t column = 0; column < ours.loops.size(); ++column) {
      const auto printed = published.at(ours.difficulties[row], ours.loops[column]);
      cells.push_back(printed ? Json(ours.accuracy[row][column] - *printed) : Json());
    }
  }
  return rows;
}

Json criteria_json(const std::vector<HeatmapCriterion>& criteria) {
  Json json = Json::array();
  for (const HeatmapCriterion& criterion : criteria)
    json.push_back({{"name", criterion.name},
                    {"asked", criterion.asked},
                    {"verdict", report::verdict_name(criterion.verdict)},
                    {"measured", criterion.measured},
                    {"against", cells_json(criterion.against)}});
  return json;
}

Json differences_json(const std::vector<SettingDifference>& differences) {
  Json json = Json::object();
  for (const SettingDifference& difference : differences)
    json[difference.setting] = difference.value;
  return json;
}

Json group_json(const RecurrentRunGroup& group) {
  Json config = to_json(group.config);
  config.erase("seed");
  Json ablations = Json::array();
  for (const RecurrentAblation ablation : group.ablations)
    ablations.push_back(ablation_name(ablation));
  Json runs = Json::array();
  for (const RecurrentRun& run : group.runs)
    runs.push_back({{"name", std::filesystem::path(run.folder).filename().string()},
                    {"seed", run.seed},
                    {"samples", run.samples},
                    {"trend", trend_name(run.trend)},
                    {"early_end", run.early_end.empty() ? Json() : Json(run.early_end)},
                    {"heatmap", heatmap_data(run.heatmap)},
                    {"loop_readings", readings_json(run.readings)}});
  return {{"ablations", std::move(ablations)},
          {"differs", differences_json(group.differences)},
          {"trained", trained_json(group.trained())},
          {"median", heatmap_data(group.median)},
          {"loop_readings", readings_json(group.readings())},
          {"runs", std::move(runs)},
          {"config", std::move(config)}};
}

}  // namespace

Json fit_data(const FrontierFit& fit) {
  Json json = {{"a", Json()}, {"b", Json()}, {"r2", Json()}};
  if (fit.line) json = {{"a", fit.line->a}, {"b", fit.line->b}, {"r2", fit.line->r2}};
  json["points"] = points_json(fit.points);
  json["censored"] = points_json(fit.censored);
  json["beyond_asked"] = points_json(fit.beyond);
  json["nothing_reached"] = points_json(fit.empty);
  return json;
}

Json heatmap_data(const AccuracyHeatmap& heatmap) {
  Json frontiers = Json::array();
  const std::vector<std::uint32_t> reached = frontier(heatmap, kSolved);
  for (std::size_t i = 0; i < reached.size(); ++i)
    frontiers.push_back({{"loops", heatmap.loops[i]}, {"difficulty", reached[i]}});
  Json fastest = Json::array();
  const auto fewest = fewest_loops(heatmap, kSolved);
  for (std::size_t i = 0; i < fewest.size(); ++i)
    fastest.push_back({{"difficulty", heatmap.difficulties[i]},
                       {"loops", fewest[i] ? Json(*fewest[i]) : Json()}});
  return {{"difficulties", heatmap.difficulties},
          {"loops", heatmap.loops},
          {"accuracy", heatmap.accuracy},
          {"frontier", frontiers},
          {"frontier_fit", fit_data(fit_frontier(heatmap, kSolved))},
          {"fastest", fastest},
          {"largest_solved", largest_solved(heatmap, kSolved)},
          {"overthinking", overthinking(heatmap)}};
}

Json series_data(const RecurrentSeries& series) {
  const PublishedHeatmap& published = *series.subject.published;
  const AccuracyHeatmap& ours = series.base().median;
  Json json = {{"task", series.subject.name}, {"difficulty", series.subject.unit}};
  json["differs_from_preset"] = differences_json(series.unlike_preset);
  json["criteria"] = Json::array();
  for (const RecurrentRun& run : series.base().runs)
    json["criteria"].push_back(
        {{"seed", run.seed},
         {"judged", criteria_json(criteria_of(series, run.heatmap, run.samples))}});
  json["published"] = {
      {"source", published.source},
      {"trained", trained_json(published.trained)},
      {"heatmap", heatmap_data(published.heatmap)},
      {"judged", criteria_json(criteria_of(series, published.heatmap, kGraphsOfChance))}};
  json["difference_to_published"] = difference_json(ours, published.heatmap);
  json["groups"] = Json::array();
  for (const RecurrentRunGroup& group : series.groups) json["groups"].push_back(group_json(group));
  return json;
}

Json supervision_data(const std::optional<SupervisionComparison>& comparison) {
  if (!comparison) return {{"verdict", report::verdict_name(report::Verdict::undecided)}};
  const SupervisionVerdict& verdict = comparison->verdict;
  const auto side = [](const auto& outcomes, const auto& solved, const auto& shortcut) {
    Json runs = Json::array();
    for (const SupervisionOutcome& outcome : outcomes)
      runs.push_back({{"seed", outcome.seed},
                      {"largest_solved", outcome.largest_solved},
                      {"hops_12_loops_1", report::or_null(outcome.shortcut)}});
    return Json{{"median_largest_solved", report::or_null(solved)},
                {"median_hops_12_loops_1", report::or_null(shortcut)},
                {"runs", std::move(runs)}};
  };
  return {{"verdict", report::verdict_name(verdict.verdict())},
          {"seeds_asked", report::kSeedsAsked},
          {"last", side(comparison->last, verdict.solved_last, verdict.shortcut_last)},
          {"mean-steps",
           side(comparison->mean_steps, verdict.solved_mean_steps, verdict.shortcut_mean_steps)}};
}

}  // namespace logdepth::inline learned_depth_recurrent
