#include "learned/jobs/run_folder.hpp"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "learned/records/task.hpp"
#include "learned/report/run_table.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

/// What keeps one configuration from going on as another, in words: the first of the settings that
/// differ, the budget last, since it matters only where nothing else does.
std::string difference(const RunConfig& there, const RunConfig& here) {
  FlatSettings left, right;
  flatten(to_json(there), "", left);
  flatten(to_json(here), "", right);
  const auto differs = [&](const std::string& name) {
    const auto a = left.find(name), b = right.find(name);
    const auto value = [](const auto& settings, const auto& found) {
      return found == settings.end() ? "none" : found->second;
    };
    return value(left, a) == value(right, b)
               ? std::string()
               : name + " is " + value(left, a) + " there, " + value(right, b) + " here";
  };
  FlatSettings all = left;
  all.insert(right.begin(), right.end());
  const std::string steps = "training.steps", seconds = "training.seconds";
  for (const auto& [name, value] : all)
    if (name != steps && name != seconds)
      if (const std::string found = differs(name); !found.empty()) return found;
  if (const std::string found = differs(steps); !found.empty())
    return here.training.schedule == TrainingConfig::Schedule::cosine
               ? found + ", and a rate along a cosine is not continued"
               : found;
  return differs(seconds);
}

}  // namespace

std::optional<RunRecord> finished_record(const PlannedRun& run, const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string before = folder + "/" + kRunConfigFile;
  const std::string checkpoint = folder + "/" + kCheckpointFile;
  if (fs::exists(checkpoint) && fs::exists(before)) {
    const auto json = nlohmann::json::parse(read_json_file(before), nullptr, false);
    if (json.is_discarded()) throw InputError(before + ": expected a JSON object");
    if (const RunConfig there = run_config_from_json(json, before); !continues(there, run.config))
      throw InputError(before + ": expected the requested configuration, except for the budget: " +
                       difference(there, run.config) + "; choose another --out");
  }
  const std::string file = folder + "/" + kRecordFile;
  if (!fs::exists(file)) return std::nullopt;
  RunRecord record = read_run_record(file);
  const TrainingConfig &done = record.config.training, &asked = run.config.training;
  const bool ended_by_seconds = record.training.value("stopped", "") == "seconds";
  if (continues(record.config, run.config) && done.steps <= asked.steps &&
      (done.steps < asked.steps ||
       (ended_by_seconds && (asked.seconds == 0 || asked.seconds > done.seconds)))) {
    // It would begin anew and take the place of the finished run.
    if (!fs::exists(checkpoint))
      throw InputError(file + ": expected " + kCheckpointFile +
                       " beside it, which a longer run continues from; choose another --out");
    return std::nullopt;
  }
  if (to_json(record.config) != to_json(run.config))
    throw InputError(
        file +
        ": expected a run of the requested configuration, or one with fewer steps or seconds: " +
        difference(record.config, run.config) + "; choose another --out");
  return record;
}

bool diverged(const RunRecord& record) {
  return early_end(record).starts_with("diverged");
}

std::string outcome(const RunRecord& record) {
  if (diverged(record)) return "no result: " + early_end(record);
  const auto task = record.config.task->make_task(record.config.seed);
  char spent[100];
  std::snprintf(spent, sizeof spent, "; %llu steps, %.1f s, stopped by %s",
                static_cast<unsigned long long>(record.training.value("steps", 0)),
                record.training.value("seconds", 0.0),
                record.training.value("stopped", std::string("?")).c_str());
  return task->summary(record.result) + spent;
}

}  // namespace logdepth::inline learned_jobs
