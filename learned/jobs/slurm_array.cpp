#include "learned/jobs/slurm_array.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "base/phrases.hpp"
#include "base/shell_word.hpp"
#include "learned/jobs/folder_lock.hpp"
#include "learned/jobs/plan_states.hpp"
#include "learned/jobs/slurm_commands.hpp"
#include "learned/jobs/submitted_arrays.hpp"
#include "learned/jobs/training_program.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

namespace fs = std::filesystem;

/// One word of a line of #SBATCH.
std::string directive_word(const std::string& text) {
  std::string word = "\"";
  for (const char c : text) word += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return word + "\"";
}

/// The lines that ask for something. What the user of this command names goes before sbatch's
/// variables, which would go before the script.
std::string requests(std::size_t tasks, const JobOptions& options, const SlurmOptions& slurm) {
  std::string lines;
  const auto ask = [&](const char* option, const std::string& value,
                       const char* variable = nullptr) {
    lines += fmt::format("#SBATCH --{}{}{}\n", option, value.empty() ? "" : "=", value);
    if (variable) unsetenv(variable);
  };
  ask("job-name", directive_word(slurm.name));
  ask("array",
      fmt::format("0-{}{}", tasks - 1,
                  slurm.array_limit ? fmt::format("%{}", *slurm.array_limit) : std::string()),
      "SBATCH_ARRAY_INX");
  ask("nodes", "1");
  ask("ntasks", "1");
  ask("cpus-per-task", std::to_string(options.threads));
  if (slurm.memory) ask("mem", fmt::format("{}G", *slurm.memory), "SBATCH_MEM_PER_NODE");
  if (!slurm.gres.empty()) {
    ask("gres", slurm.gres, "SBATCH_GRES");
  } else if (options.device == "cuda") {
    ask("gres", "gpu:1");
  }
  if (!slurm.partition.empty()) ask("partition", slurm.partition, "SBATCH_PARTITION");
  if (!slurm.time.empty()) ask("time", slurm.time, "SBATCH_TIMELIMIT");
  ask("chdir", directive_word(fs::current_path().string()));
  ask("requeue", "");          // after a node failed, or was needed for something else
  ask("signal", "B:TERM@60");  // before the time limit: the run writes its checkpoint
  ask("output", "/dev/null");  // each run has its own, below
  return lines;
}

constexpr const char* kHeading =
    "#!/bin/bash\n"
    "# Runs of a plan of logdepth, each a task of this job array. A task that was ended before "
    "its\n"
    "# run was done goes on from the checkpoint, when logdepth train plan FILE --slurm submits it\n"
    "# again.\n";
/// exec: the signals of Slurm are for the program, not for a shell around it.
constexpr const char* kTask = R"(
run=${runs[SLURM_ARRAY_TASK_ID]}
mkdir -p "$out/$run"
exec >> "$out/$run/slurm.log" 2>&1
echo "== $(date --iso-8601=seconds), task $SLURM_ARRAY_TASK_ID of job $SLURM_ARRAY_JOB_ID on $SLURMD_NODENAME"
exec "$program" train plan "$plan" --run "$run" --out "$out" --device "$device" --threads "$threads"
)";

std::string script(const TrainingPlan& plan, const std::string& plan_file,
                   const JobOptions& options, const SlurmOptions& slurm) {
  std::string text = kHeading + requests(plan.size(), options, slurm) + "\nset -e\n";
  const auto set = [&](const char* variable, const std::string& value) {
    text += fmt::format("{}={}\n", variable, shell_word(value));
  };
  set("program", fs::read_symlink("/proc/self/exe").string());
  set("plan", plan_file);
  set("out", fs::absolute(options.out).lexically_normal().string());
  set("device", options.device);
  set("threads", std::to_string(options.threads));
  text += "runs=(\n";
  for (const PlannedRun& run : plan) text += "  " + shell_word(run.name) + "\n";
  return text + ")" + kTask;
}

/// Removed again, with what is in it, unless it is kept.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) {
    std::error_code failure;
    fs::create_directory(path_, failure);
    if (failure) throw InputError(path_ + ": the folder cannot be made");
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace

int submit_array(const TrainingPlan& plan, const JobOptions& options, const SlurmOptions& slurm) {
  using Kind = RunState::Kind;
  if (!slurm.dry_run) {
    expect_training_program();
    expect_slurm();
  }
  for (const PlannedRun& run : plan)
    if (*fs::path(run.name).begin() == kSlurmFolder)
      throw InputError("--slurm: expected runs outside the folder " + std::string(kSlurmFolder) +
                       ", which holds the job arrays, found the run " + run.name);
  const std::string folder = options.out + "/" + kSlurmFolder;
  std::optional<FolderLock> lock;
  if (!slurm.dry_run) lock.emplace(folder);
  const PlanStates states = states_of(plan, options.out);
  if (!states.slurm_answered && slurm.dry_run)
    std::cerr << "logdepth: squeue did not respond; status is from run folders only\n";
  if (!states.slurm_answered && !slurm.dry_run)
    throw InputError(
        "--slurm: squeue did not respond, so the state of earlier jobs is unknown; nothing was "
        "submitted");
  TrainingPlan submitted;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunState& state = states.runs[i];
    if (state.kind == Kind::done) {
      std::cerr << plan[i].name << ": done before\n";
    } else if (state.kind == Kind::running || state.kind == Kind::pending) {
      std::cerr << plan[i].name << ": not submitted again, " << state.detail << '\n';
    } else {
      submitted.push_back(plan[i]);
    }
  }
  if (submitted.empty()) {
    std::cerr << "nothing to submit\n";
    return 0;
  }
  const auto before = array_folders(options.out);
  const std::string place =
      fs::absolute(folder + "/" + std::to_string(before.empty() ? 1 : before.rbegin()->first + 1))
          .lexically_normal()
          .string();
  if (slurm.dry_run) {
    std::cout << script(submitted, place + "/plan.json", options, slurm);
    std::cerr << "would submit " << counted(submitted.size(), "run") << ", by " << place
              << "/array.sh\n";
    return 0;
  }
  NewFolder files(place);
  write_training_plan(submitted, place + "/plan.json");
  write_whole_file(place + "/array.sh", script(submitted, place + "/plan.json", options, slurm));
  const std::string job = submit_to_slurm(place + "/array.sh");
  files.keep();
  write_whole_file(place + "/job", job + "\n");
  std::cerr << "submitted job " << job << ": " << counted(submitted.size(), "run") << ", by "
            << place << "/array.sh\n";
  return 0;
}

}  // namespace logdepth::inline learned_jobs
