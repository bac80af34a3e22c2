#include "learned/depth_recurrent/depth_recurrent_report.hpp"

#include <optional>
#include <utility>

#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/heatmap_figure.hpp"
#include "learned/depth_recurrent/hop_run_groups.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "learned/report/report_files.hpp"

namespace logdepth {
namespace {

using Json = nlohmann::ordered_json;

/// The largest hop count that the paper calls perfect.
constexpr std::uint32_t kPerfectHops = 8;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json cells_json(const std::vector<HeatmapCell>& cells) {
  Json json = Json::array();
  for (const HeatmapCell& cell : cells)
    json.push_back({{"hops", cell.hops}, {"loops", cell.loops}, {"accuracy", cell.accuracy}});
  return json;
}

Json heatmap_json(const AccuracyHeatmap& heatmap) {
  Json frontiers = Json::array();
  const std::vector<std::uint32_t> reached = frontier(heatmap, kSolved);
  for (std::size_t i = 0; i < reached.size(); ++i)
    frontiers.push_back({{"loops", heatmap.loops[i]}, {"hops", reached[i]}});
  Json fastest = Json::array();
  const auto fewest = fewest_loops(heatmap, kSolved);
  for (std::size_t i = 0; i < fewest.size(); ++i)
    fastest.push_back(
        {{"hops", heatmap.difficulties[i]}, {"loops", fewest[i] ? Json(*fewest[i]) : Json()}});
  return {{"hops", heatmap.difficulties},
          {"loops", heatmap.loops},
          {"accuracy", heatmap.accuracy},
          {"frontier", frontiers},
          {"fastest", fastest},
          {"overthinking", overthinking(heatmap)},
          {"short_of_n_steps_for_n_hops", cells_json(short_cells(heatmap, kPerfectHops, kSolved))}};
}

/// Ours minus published; null where the paper has no such cell.
Json difference_json(const AccuracyHeatmap& ours) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < ours.difficulties.size(); ++row) {
    Json& cells = rows.emplace_back(Json::array());
    for (std::size_t column = 0; column < ours.loops.size(); ++column) {
      const auto published = published_hop_heatmap().at(ours.difficulties[row], ours.loops[column]);
      cells.push_back(published ? Json(ours.accuracy[row][column] - *published) : Json());
    }
  }
  return rows;
}

Json run_json(const HopRun& run, const HopTaskConfig& task) {
  Json json = {{"name", run.name}, {"seed", run.seed}, {"graphs", run.graphs}};
  json["heatmap"] = heatmap_json(run.heatmap);
  if (task.generator != HopTaskConfig::Generator::twin || !task.masked) return json;
  const FrontierVerdict frontier = judge_frontier(run.heatmap, run.graphs);
  json["DR-1"] = {
      {"solved", verdict_name(frontier.solved())}, {"solved_cells", frontier.solved_cells},
      {"unsolved", cells_json(frontier.unsolved)}, {"chance", verdict_name(frontier.chance())},
      {"chance_cells", frontier.chance_cells},     {"leaks", cells_json(frontier.leaks)},
      {"missing_loops", frontier.missing_loops},   {"missing_hops", frontier.missing_hops}};
  const ExtrapolationVerdict beyond = judge_extrapolation(run.heatmap);
  json["DR-2"] = {{"verdict", verdict_name(beyond.verdict())},
                  {"hops_6_loops_12", number_or_null(beyond.six)},
                  {"hops_8_loops_12", number_or_null(beyond.eight)}};
  return json;
}

Json outcomes_json(const std::vector<SupervisionOutcome>& outcomes) {
  Json json = Json::array();
  for (const SupervisionOutcome& outcome : outcomes)
    json.push_back({{"seed", outcome.seed},
                    {"largest_solved", outcome.largest_solved},
                    {"hops_12_loops_1", number_or_null(outcome.shortcut)}});
  return json;
}

Json comparison_json(const SupervisionComparison& comparison) {
  const SupervisionVerdict& verdict = comparison.verdict;
  const auto side = [](const auto& outcomes, std::size_t seeds, const auto& solved,
                       const auto& shortcut) {
    return Json{{"seeds", seeds},
                {"median_largest_solved", number_or_null(solved)},
                {"median_hops_12_loops_1", number_or_null(shortcut)},
                {"runs", outcomes_json(outcomes)}};
  };
  return {{"verdict", verdict_name(verdict.verdict())},
          {"reproduced", verdict.verdict() == Verdict::undecided
                             ? Json()
                             : Json(verdict.verdict() == Verdict::passed)},
          {"preset", comparison.preset},
          {"seeds_asked", kSeedsAsked},
          {"enough_seeds", verdict.enough_seeds()},
          {"last",
           side(comparison.last, verdict.seeds_last, verdict.solved_last, verdict.shortcut_last)},
          {"mean-steps", side(comparison.mean_steps, verdict.seeds_mean_steps,
                              verdict.solved_mean_steps, verdict.shortcut_mean_steps)}};
}

}  // namespace

std::string depth_recurrent_json(const std::vector<RunRecord>& records) {
  const std::vector<HopRunGroup> groups = hop_run_groups(records);
  Json json;
  json["kind"] = "depth-recurrent";
  json["threshold"] = kSolved;
  json["groups"] = Json::array();
  for (const HopRunGroup& group : groups) {
    Json config = to_json(group.config);
    config.erase("seed");
    Json runs = Json::array();
    for (const HopRun& run : group.runs) runs.push_back(run_json(run, group.task()));
    json["groups"].push_back({{"title", group.title()},
                              {"config", std::move(config)},
                              {"median", heatmap_json(group.median)},
                              {"difference_to_published", difference_json(group.median)},
                              {"runs", std::move(runs)}});
  }
  json["DR-3"] = Json::array();
  for (const SupervisionComparison& comparison : supervision_comparisons(groups))
    json["DR-3"].push_back(comparison_json(comparison));
  const PublishedSupervision& table = kPublishedSupervision;
  json["published"] = {{"heatmap", heatmap_json(published_hop_heatmap())},
                       {"supervision",
                        {{"mean-steps",
                          {{"hops_12_loops_1", table.one_loop_mean_steps},
                           {"beyond_training", table.beyond_training_mean_steps}}},
                         {"last",
                          {{"hops_12_loops_1", table.one_loop_last},
                           {"beyond_training", table.beyond_training_last}}}}},
                       {"contradictions", published_contradictions()}};
  // Names of folders need not be UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string depth_recurrent_svg(const std::vector<RunRecord>& records) {
  std::vector<std::vector<HeatmapPanel>> rows;
  const auto panel = [](std::string title, std::string subtitle, const AccuracyHeatmap& heatmap) {
    HeatmapPanel panel;
    panel.title = std::move(title);
    panel.subtitle = std::move(subtitle);
    panel.heatmap = heatmap;
    panel.threshold = kSolved;
    return panel;
  };
  for (const HopRunGroup& group : hop_run_groups(records))
    rows.push_back({panel(group.title(), group.seeds(), group.median),
                    panel("published", "figure 1 of Chen 2026", published_hop_heatmap())});
  return heatmap_rows_svg(rows);
}

void save_depth_recurrent_report(const std::vector<RunRecord>& records, const std::string& folder) {
  write_report_files({depth_recurrent_markdown(records), depth_recurrent_json(records),
                      depth_recurrent_svg(records)},
                     folder, "depth-recurrent");
}

}  // namespace logdepth
