#include "learned/jobs/plan_states.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "base/exit_status.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "learned/jobs/folder_lock.hpp"
#include "learned/jobs/run_folder.hpp"
#include "learned/jobs/slurm_commands.hpp"
#include "learned/jobs/submitted_arrays.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/file_pieces.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

namespace fs = std::filesystem;
using Kind = RunState::Kind;

constexpr std::array kKinds = {Kind::done,   Kind::running, Kind::pending,
                               Kind::failed, Kind::killed,  Kind::missing};

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::done:
      return "done";
    case Kind::running:
      return "running";
    case Kind::pending:
      return "pending";
    case Kind::failed:
      return "failed";
    case Kind::killed:
      return "killed";
    case Kind::missing:
      return "missing";
  }
  return "";
}

/// ", 3000 of 4000 steps in the checkpoint"; empty where there is none.
std::string progress(const PlannedRun& run, const std::string& folder) {
  const std::string file = folder + "/" + kCheckpointFile;
  if (!fs::exists(file)) return "";
  const SafeTensorsHeader header = read_safetensors_header(FilePieces(file));
  const auto found = header.metadata.find("state");
  const auto state = found == header.metadata.end()
                         ? nlohmann::json()
                         : nlohmann::json::parse(found->second, nullptr, false);
  if (!state.is_object() || !state.contains("step")) return "";
  return fmt::format(", {} of {} steps in the checkpoint", state["step"].dump(),
                     run.config.training.steps);
}

/// The last sentence in the log of a run's tasks, as ": logdepth: out of memory".
std::string last_words(const std::string& folder) {
  const std::string file = folder + "/" + kTaskLog;
  if (!fs::exists(file)) return "";
  std::string last;
  std::istringstream in(read_whole_file(file));
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) last = line;
  return last.starts_with("== ") ? "" : ": " + last;  // a task that has said nothing
}

/// What Slurm's word means for the run.
RunState state_of(const SlurmTaskPlace& place, const SlurmTask& task, const PlannedRun& run,
                  const std::string& folder) {
  static const std::set<std::string> kWaiting = {"PENDING",      "CONFIGURING",  "REQUEUED",
                                                 "REQUEUE_FED",  "REQUEUE_HOLD", "SPECIAL_EXIT",
                                                 "RESV_DEL_HOLD"};
  static const std::set<std::string> kRunning = {"RUNNING",   "COMPLETING", "RESIZING", "SIGNALING",
                                                 "STAGE_OUT", "STOPPED",    "SUSPENDED"};
  const std::string job = fmt::format("task {} of job {}", place.second, place.first);
  if (kWaiting.contains(task.state))
    return {Kind::pending,
            job + (task.reason.empty() || task.reason == "None" ? std::string()
                                                                : " (" + task.reason + ")")};
  if (kRunning.contains(task.state))
    return {Kind::running,
            job + (task.node.empty() ? "" : " on " + task.node) + progress(run, folder)};
  if (task.state == "COMPLETED")
    return {Kind::missing, job + " is completed, without a record here"};
  // The training program's end by a signal is an exit status of the command that started it.
  const int signal = task.exit_status > 128 ? task.exit_status - 128 : task.signal;
  if (task.state == "FAILED" && signal == 0)
    return {Kind::failed,
            fmt::format("{}, exit status {}{}", job, task.exit_status, last_words(folder))};
  const std::string how = task.state == "FAILED" ? fmt::format("signal {}", signal) : task.state;
  return {Kind::killed, job + ", " + how + progress(run, folder)};
}

/// `place` is that of its latest task, if it was ever submitted.
RunState state_of(const PlannedRun& run, const std::string& folder, const SlurmTaskPlace* place,
                  const SlurmTasks& tasks) {
  try {
    if (const auto record = finished_record(run, folder))
      return {diverged(*record) ? Kind::failed : Kind::done, outcome(*record)};
  } catch (const InputError&
               error) {  // its folder holds something else; the other runs are what they are
    return {Kind::failed, error.what()};
  }
  std::optional<RunState> said;
  if (place)
    if (const auto found = tasks.find(*place); found != tasks.end())
      said = state_of(*place, found->second, run, folder);
  if (said && (said->kind == Kind::running || said->kind == Kind::pending)) return *said;
  if (const auto holder = holder_of(folder))
    return {Kind::running, *holder + progress(run, folder)};
  if (said) return *said;
  if (fs::exists(folder + "/" + kRunConfigFile))
    return {Kind::killed, "ended without a record" + progress(run, folder) + last_words(folder)};
  return {Kind::missing, "not begun"};
}

}  // namespace

PlanStates states_of(const TrainingPlan& plan, const std::string& out) {
  std::map<std::string, SlurmTaskPlace> places;  // the latest task of each run
  std::set<std::string> jobs;
  for (const SlurmArray& array : submitted_arrays(out)) {
    jobs.insert(array.job);
    for (std::size_t i = 0; i < array.runs.size(); ++i) places[array.runs[i]] = {array.job, i};
  }
  PlanStates states;
  SlurmTasks tasks;
  if (!jobs.empty()) {
    if (auto answer = slurm_tasks(jobs)) {
      tasks = std::move(*answer);
    } else {
      states.slurm_answered = false;
    }
  }
  for (const PlannedRun& run : plan) {
    const auto place = places.find(run.name);
    states.runs.push_back(state_of(run, out + "/" + run.name,
                                   place == places.end() ? nullptr : &place->second, tasks));
  }
  return states;
}

int print_states(const TrainingPlan& plan, const std::string& out) {
  const PlanStates states = states_of(plan, out);
  if (!states.slurm_answered)
    std::cerr << "logdepth: squeue did not respond; status is from run folders only\n";
  std::size_t width = 3;
  for (const PlannedRun& run : plan) width = std::max(width, run.name.size());
  std::cout << fmt::format("{:{}}  state    detail\n", "run", width);
  std::map<Kind, std::size_t> counts;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunState& state = states.runs[i];
    ++counts[state.kind];
    std::cout << fmt::format("{:{}}  {:7}  {}\n", plan[i].name, width, kind_name(state.kind),
                             printable(state.detail, kMostPrinted));
  }
  std::vector<std::string> parts;
  for (const Kind kind : kKinds)
    if (counts[kind] > 0) parts.push_back(fmt::format("{} {}", counts[kind], kind_name(kind)));
  std::cout << '\n' << counted(plan.size(), "run") << ": " << joined(parts) << '\n';
  return kDone;
}

int collect(const TrainingPlan& plan, const std::string& out) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> missing;
  for (const PlannedRun& run : plan) {
    const std::string folder = out + "/" + run.name;
    try {
      const auto record = finished_record(run, folder);
      if (record) std::cerr << run.name << ": " << outcome(*record) << '\n';
      if (record && !diverged(*record)) {
        std::cout << folder << '\n';
        continue;
      }
    } catch (const InputError& error) {
      std::cerr << "logdepth: " << printable(error.what(), kMostPrinted) << '\n';
    }
    missing.push_back(run.name);
  }
  if (missing.empty()) return kDone;
  const std::size_t count = missing.size();
  if (count > kNamed) {
    missing.resize(kNamed);
    missing.push_back(fmt::format("{} more", count - kNamed));
  }
  std::cerr << fmt::format("logdepth: {} of {} have no result: {} (see --status)\n", count,
                           counted(plan.size(), "run"), joined(missing));
  return kNotDecided;
}

}  // namespace logdepth::inline learned_jobs
