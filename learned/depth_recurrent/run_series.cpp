#include "learned/depth_recurrent/run_series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/phrases.hpp"
#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/expression_task.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/depth_recurrent/presets.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

using Json = nlohmann::ordered_json;

/// All subjects, in the order of reports.
enum class Subject { twin, natural, random_pairs, expressions, families };
constexpr std::array kSubjects = {Subject::twin, Subject::natural, Subject::random_pairs,
                                  Subject::expressions, Subject::families};

/// Absent for tasks of other papers.
std::optional<Subject> subject_of(const TaskConfig& task) {
  if (const auto* graphs = task.try_as<HopTaskConfig>()) {
    switch (graphs->generator) {
      case HopGenerator::twin:
        return Subject::twin;
      case HopGenerator::natural:
        return Subject::natural;
      case HopGenerator::random_pairs:
        return Subject::random_pairs;
    }
  }
  if (!task.try_as<DifficultySettings>()) return std::nullopt;
  return task.try_as<ExpressionTaskConfig>() ? Subject::expressions : Subject::families;
}

RecurrentSubject graphs(HopGenerator generator, const char* explanation) {
  return {std::string("graphs-") + generator_name(generator), explanation, "hops",
          "hops from source to target", &published_hops()};
}

RecurrentSubject described(Subject subject) {
  switch (subject) {
    case Subject::twin:
      return graphs(HopGenerator::twin,
                    "Is there a directed path from s to t? Under the adjacency mask a vertex reads "
                    "itself and its successors, so information goes one hop a step. The `twin` "
                    "generator draws two chains that look alike: with fewer than k steps "
                    "nothing that the mask lets through tells k hops from no path, for any "
                    "weights, so the best accuracy there is one half.");
    case Subject::natural:
      return graphs(HopGenerator::natural,
                    "The `natural` generator plants a path and cuts all edges between two levels "
                    "where there is to be none; the number of edges then tells something about "
                    "the answer, a shortcut.");
    case Subject::random_pairs:
      return graphs(HopGenerator::random_pairs,
                    "The `random-pairs` generator takes pairs of random graphs, at the given "
                    "distance or without a path.");
    case Subject::expressions:
      return {"expressions",
              "Is a nested boolean expression true? It is read as letters with rotary positions, "
              "without a mask; T steps may evaluate T levels.",
              "depth", "depth of the expression", &published_expressions()};
    case Subject::families:
      break;
  }
  return {"families",
          "Is one person the relation of another that a question names? Facts and distractors are "
          "sentences in random order, read as words with rotary positions, without a mask; depth "
          "is the number of facts between the two.",
          "depth", "facts between the two people", &published_families()};
}

std::vector<RunConfig> presets(Subject subject) {
  std::vector<RunConfig> both;
  for (const bool paper_size : {false, true}) switch (subject) {
      case Subject::twin:
        both.push_back(depth_recurrent(HopGenerator::twin, paper_size));
        break;
      case Subject::natural:
        both.push_back(depth_recurrent(HopGenerator::natural, paper_size));
        break;
      case Subject::random_pairs:
        both.push_back(depth_recurrent(HopGenerator::random_pairs, paper_size));
        break;
      case Subject::expressions:
        both.push_back(depth_recurrent_expressions(paper_size));
        break;
      case Subject::families:
        both.push_back(depth_recurrent_families(paper_size));
        break;
    }
  return both;
}

/// The settings of ablations in which a run is unlike the preset that is most like it.
std::size_t distance_to_presets(Subject subject, const RunConfig& config) {
  std::size_t least = std::string::npos;
  for (const RunConfig& preset : presets(subject)) {
    std::size_t unlike = 0;
    for (const SettingDifference& difference : setting_differences(preset, config))
      unlike += ablations_of({difference}).has_value();
    least = std::min(least, unlike);
  }
  return least;
}

/// Where a run that did not diverge has changed its state by more, its record is damaged.
constexpr double kLargestChange = 1e6;

/// What a run has differently from the preset that is most like it in all settings.
std::vector<SettingDifference> differences_to_preset(Subject subject, const RunConfig& config) {
  std::vector<std::vector<SettingDifference>> all;
  for (const RunConfig& preset : presets(subject))
    all.push_back(setting_differences(preset, config));
  return *std::ranges::min_element(all, {}, &std::vector<SettingDifference>::size);
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

bool is_sound(const RecurrentRun& run, const DifficultySettings& task) {
  const AccuracyHeatmap& heatmap = run.heatmap;
  if (run.samples < 1) return false;
  if (heatmap.difficulties != task.tested || heatmap.loops != task.test_loops ||
      heatmap.accuracy.size() != heatmap.difficulties.size())
    return false;
  if (!run.readings.empty() && run.readings.size() != heatmap.loops.back()) return false;
  if (!run.shortcut.empty() && run.shortcut.size() != heatmap.difficulties.size()) return false;
  return std::ranges::all_of(heatmap.accuracy,
                             [&](const auto& row) {
                               return row.size() == heatmap.loops.size() &&
                                      std::ranges::all_of(row, is_share);
                             }) &&
         std::ranges::all_of(run.readings,
                             [](const LoopReading& reading) {
                               return is_share(reading.gate_share) && reading.change >= 0 &&
                                      reading.change <= kLargestChange;
                             }) &&
         std::ranges::all_of(run.shortcut, is_share);
}

std::string file_of(const std::string& folder) {
  return (folder.empty() ? "" : folder + "/") + std::string(kRecordFile);
}

/// Errors: those of the JSON library, about other types than expected.
std::size_t samples_of(const Json& result) {
  const Json& samples = result.at("samples");
  const bool whole = samples.is_number_unsigned() ||
                     (samples.is_number_integer() && samples.get<std::int64_t>() >= 0);
  return whole ? samples.get<std::size_t>() : 0;
}

std::vector<LoopReading> readings_of(const Json& result) {
  std::vector<LoopReading> readings;
  for (const Json& reading : result.value("loop_readings", Json::array()).get<std::vector<Json>>())
    readings.push_back(
        {reading.at("gate_share").get<double>(), reading.at("change").get<double>()});
  return readings;
}

RecurrentRun run_of(const RunRecord& record) {
  RecurrentRun run;
  run.folder = record.folder;
  run.seed = record.config.seed;
  run.early_end = early_end(record);
  const Json& result = record.result;
  bool sound = false;
  try {
    run.heatmap = {result.at("difficulties").get<std::vector<std::uint32_t>>(),
                   result.at("loops").get<std::vector<std::uint32_t>>(),
                   result.at("accuracy").get<std::vector<std::vector<double>>>()};
    run.samples = samples_of(result);
    // A state that is no number any more has none.
    if (!run.early_end.starts_with("diverged")) run.readings = readings_of(result);
    run.shortcut = result.value("decided_in_two_rounds", std::vector<double>());
    sound = is_sound(run, record.config.task.as<DifficultySettings>());
  } catch (const nlohmann::json::exception&) {
    // The sentence below says what was expected.
  }
  if (!sound)
    throw InputError(
        file_of(record.folder) +
        ": result: expected accuracies from 0 to 1 for the difficulties and iterations that the "
        "configuration names, a whole number of samples of at least 1, and readings of all "
        "iterations or of none, gate shares from 0 to 1 and changes from 0 to 1e6");
  run.trend = learning_curve(record).trend();
  return run;
}

/// Whether reports say the same of both.
bool same_result(const RecurrentRun& one, const RecurrentRun& other) {
  const auto same_reading = [](const LoopReading& a, const LoopReading& b) {
    return a.gate_share == b.gate_share && a.change == b.change;
  };
  return one.heatmap == other.heatmap && one.samples == other.samples &&
         std::ranges::equal(one.readings, other.readings, same_reading) &&
         one.early_end == other.early_end && one.shortcut == other.shortcut;
}

/// Errors: InputError where the group has another result of the same seed.
void add_run(RecurrentRun run, RecurrentRunGroup& group) {
  const auto same_seed = std::ranges::find(group.runs, run.seed, &RecurrentRun::seed);
  if (same_seed == group.runs.end())
    group.runs.push_back(std::move(run));
  else if (!same_result(*same_seed, run))
    throw InputError(fmt::format(
        "{}: result: expected that of {}, which has the same settings and the same seed {}",
        file_of(run.folder), file_of(same_seed->folder), run.seed));
}

/// The groups of one subject, in the order of their first members.
std::vector<RecurrentRunGroup> groups_of(Subject subject, const std::vector<RunRecord>& records) {
  std::vector<RecurrentRunGroup> groups;
  for (const RunRecord& record : records) {
    if (subject_of(record.config.task) != subject) continue;
    auto group = std::ranges::find_if(groups, [&](const RecurrentRunGroup& other) {
      return setting_differences(other.config, record.config).empty();
    });
    if (group == groups.end()) {
      groups.emplace_back().config = record.config;
      group = std::prev(groups.end());
    }
    add_run(run_of(record), *group);
  }
  for (RecurrentRunGroup& group : groups) {
    std::ranges::sort(group.runs, {}, &RecurrentRun::seed);
    std::vector<AccuracyHeatmap> heatmaps;
    for (const RecurrentRun& run : group.runs) heatmaps.push_back(run.heatmap);
    group.median = median_heatmap(heatmaps);
  }
  return groups;
}

/// Tells every group what it changes about the first. Errors: InputError where that is more than
/// ablations.
void compare_with_base(RecurrentSeries& series) {
  const RecurrentRunGroup& base = series.base();
  for (RecurrentRunGroup& group : series.groups) {
    group.differences = setting_differences(base.config, group.config);
    SettingDifference other;
    const auto ablations = ablations_of(group.differences, &other);
    if (!ablations)
      throw InputError(fmt::format(
          "{}: {}: expected {} as in {}, found {}: runs about {} may differ in ablations only",
          file_of(group.runs.front().folder), other.setting, other.base,
          file_of(base.runs.front().folder), other.value, series.subject.name));
    group.ablations = *ablations;
  }
}

void require_seeds(const RecurrentRunGroup& group, const RecurrentRunGroup& other) {
  for (const RecurrentRun& run : other.runs)
    if (std::ranges::none_of(group.runs,
                             [&](const RecurrentRun& own) { return own.seed == run.seed; }))
      throw InputError(fmt::format(
          "{}: seed {}: expected a run with it under the other supervision as well, because DR-3 "
          "compares medians over the same seeds",
          file_of(run.folder), run.seed));
}

}  // namespace

std::string RecurrentSubject::difficulty(std::uint32_t value) const {
  return unit == "hops" ? counted(value, "hop") : fmt::format("{} {}", unit, value);
}

std::string RecurrentRun::state() const {
  return early_end.empty() ? trend_name(trend) : early_end;
}

TrainedRange RecurrentRunGroup::trained() const {
  const LoopRule& loops = config.model.loops;
  const bool range = loops.kind == LoopRule::Kind::range;
  return {task().easiest, task().hardest, loops.least, range ? loops.most : loops.least};
}

std::string RecurrentRunGroup::seeds() const {
  std::vector<std::uint64_t> numbers;
  for (const RecurrentRun& run : runs) numbers.push_back(run.seed);
  return seeds_text(numbers);
}

std::vector<LoopReading> RecurrentRunGroup::readings() const {
  std::vector<LoopReading> medians;
  for (std::size_t loop = 0;; ++loop) {
    std::vector<double> shares, changes;
    for (const RecurrentRun& run : runs) {
      if (loop >= run.readings.size()) continue;
      shares.push_back(run.readings[loop].gate_share);
      changes.push_back(run.readings[loop].change);
    }
    if (shares.empty()) return medians;
    medians.push_back({*report::median(std::move(shares)), *report::median(std::move(changes))});
  }
}

std::vector<const RecurrentRunGroup*> RecurrentSeries::of(RecurrentAblation ablation) const {
  std::vector<const RecurrentRunGroup*> found;
  for (const RecurrentRunGroup& group : groups)
    if (group.ablations == std::vector{ablation}) found.push_back(&group);
  return found;
}

std::vector<const RecurrentRunGroup*> RecurrentSeries::of_several() const {
  std::vector<const RecurrentRunGroup*> found;
  for (const RecurrentRunGroup& group : groups)
    if (group.ablations.size() > 1) found.push_back(&group);
  return found;
}

std::vector<RecurrentSeries> recurrent_series(const std::vector<RunRecord>& records) {
  std::vector<RecurrentSeries> all;
  for (const Subject subject : kSubjects) {
    RecurrentSeries series{described(subject), groups_of(subject, records), {}};
    if (series.groups.empty()) continue;
    const auto base = std::ranges::min_element(series.groups, {}, [&](const auto& group) {
      return distance_to_presets(subject, group.config);
    });
    std::rotate(series.groups.begin(), base, std::next(base));
    compare_with_base(series);
    series.unlike_preset = differences_to_preset(subject, series.base().config);
    if (subject == Subject::natural)
      for (const RecurrentRunGroup* group : series.of(RecurrentAblation::supervision)) {
        require_seeds(*group, series.base());
        require_seeds(series.base(), *group);
      }
    all.push_back(std::move(series));
  }
  if (all.empty())
    throw InputError("RUNS: expected at least one run of the task hops, expressions or families");
  return all;
}

}  // namespace logdepth::inline learned_depth_recurrent
