#include "learned/depth_recurrent/hop_run_groups.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "learned/depth_recurrent/hop_graphs.hpp"
#include "objects/input_error.hpp"

namespace logdepth {
namespace {

using Supervision = TrainingConfig::Supervision;

/// What runs of a group have in common.
std::string group_key(const RunConfig& config, bool with_supervision) {
  nlohmann::ordered_json json = settings_of_series(config);
  if (!with_supervision) json["training"].erase("supervision");
  return json.dump();
}

AccuracyHeatmap heatmap_of(const nlohmann::ordered_json& result) {
  return {result.at("difficulties").get<std::vector<std::uint32_t>>(),
          result.at("loops").get<std::vector<std::uint32_t>>(),
          result.at("accuracy").get<std::vector<std::vector<double>>>()};
}

bool is_sound(const AccuracyHeatmap& heatmap, const HopTaskConfig& task) {
  if (heatmap.difficulties != task.tested || heatmap.loops != task.test_loops ||
      heatmap.accuracy.size() != heatmap.difficulties.size())
    return false;
  return std::all_of(heatmap.accuracy.begin(), heatmap.accuracy.end(), [&](const auto& row) {
    return row.size() == heatmap.loops.size() &&
           std::all_of(row.begin(), row.end(), [](double a) { return a >= 0 && a <= 1; });
  });
}

HopRun hop_run(const RunRecord& record) {
  HopRun run;
  run.name = std::filesystem::path(record.folder).filename().string();
  run.seed = record.config.seed;
  bool sound = false;
  try {
    run.heatmap = heatmap_of(record.result);
    run.graphs = record.result.at("samples").get<std::size_t>();
    sound = is_sound(run.heatmap, record.config.task.as<HopTaskConfig>());
  } catch (const nlohmann::json::exception&) {
    // The sentence below says what was expected.
  }
  if (!sound)
    throw InputError((record.folder.empty() ? "" : record.folder + "/") + std::string(kRecordFile) +
                     ": result: expected accuracies from 0 to 1 for the hops and loops that the "
                     "configuration names, and the number of samples");
  return run;
}

}  // namespace

std::string HopRunGroup::title() const {
  return std::string(generator_name(task().generator)) + (task().masked ? "" : " without mask") +
         ", " +
         (config.training.supervision == Supervision::last ? "loss after the last loop"
                                                           : "mean of the losses of all loops");
}

std::string HopRunGroup::seeds() const {
  std::vector<std::uint64_t> numbers;
  for (const HopRun& run : runs) numbers.push_back(run.seed);
  return seeds_text(numbers);
}

std::vector<HopRunGroup> hop_run_groups(const std::vector<RunRecord>& records) {
  std::vector<HopRunGroup> groups;
  std::vector<std::string> keys;
  for (const RunRecord& record : records) {
    if (!record.config.task.try_as<HopTaskConfig>()) continue;
    const std::string key = group_key(record.config, true);
    const auto found =
        static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    if (found == keys.size()) {
      keys.push_back(key);
      groups.push_back({record.config, {}, {}});
    }
    HopRun run = hop_run(record);
    std::vector<HopRun>& runs = groups[found].runs;
    if (std::none_of(runs.begin(), runs.end(),
                     [&](const HopRun& other) { return other.seed == run.seed; }))
      runs.push_back(std::move(run));
  }
  if (groups.empty()) throw InputError("RUNS: expected at least one run of the task 'hops'");
  for (HopRunGroup& group : groups) {
    std::sort(group.runs.begin(), group.runs.end(),
              [](const HopRun& left, const HopRun& right) { return left.seed < right.seed; });
    std::vector<AccuracyHeatmap> heatmaps;
    for (const HopRun& run : group.runs) heatmaps.push_back(run.heatmap);
    group.median = median_heatmap(heatmaps);
  }
  return groups;
}

std::vector<SupervisionComparison> supervision_comparisons(const std::vector<HopRunGroup>& groups) {
  std::vector<SupervisionComparison> comparisons;
  std::vector<std::string> keys;
  for (const HopRunGroup& group : groups) {
    if (group.task().generator != HopTaskConfig::Generator::natural) continue;
    const std::string key = group_key(group.config, false);
    const auto found =
        static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    if (found == keys.size()) {
      keys.push_back(key);
      comparisons.emplace_back().preset = group.config.preset;
    }
    SupervisionComparison& comparison = comparisons[found];
    auto& outcomes = group.config.training.supervision == Supervision::last ? comparison.last
                                                                            : comparison.mean_steps;
    for (const HopRun& run : group.runs)
      outcomes.push_back(supervision_outcome(run.seed, run.heatmap));
  }
  for (SupervisionComparison& comparison : comparisons)
    comparison.verdict = judge_supervision(comparison.last, comparison.mean_steps);
  return comparisons;
}

}  // namespace logdepth
