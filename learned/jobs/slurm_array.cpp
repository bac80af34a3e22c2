#include "learned/jobs/slurm_array.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/exit_status.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_jobs {
namespace {

namespace fs = std::filesystem;

/// In the folder of a run, of its tasks on a cluster.
constexpr const char* kTaskLog = "slurm.log";

enum class Kind {
  done,     ///< its record is there, with a result
  running,  ///< a command on some machine holds the lock of the folder
  failed,   ///< it diverged, or its folder cannot be read
  ended,    ///< it was begun and ended without a record; its log may say why
  missing   ///< not begun: on a cluster it may wait (squeue)
};
/// In the order of Kind.
constexpr std::array kKindNames = {"done", "running", "failed", "ended", "missing"};

struct RunState {
  Kind kind;
  std::string detail;
};

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

RunState state_of(const PlannedRun& run, const std::string& folder) {
  try {
    if (const auto record = finished_record(run, folder))
      return {diverged(*record) ? Kind::failed : Kind::done, outcome(*record)};
  } catch (const InputError&
               error) {  // its folder holds something else; the other runs are what they are
    return {Kind::failed, error.what()};
  }
  if (const auto holder = holder_of(folder))
    return {Kind::running, *holder + progress(run, folder)};
  if (fs::exists(folder + "/" + kRunConfigFile) || fs::exists(folder + "/" + kTaskLog))
    return {Kind::ended, "without a record" + progress(run, folder)};
  return {Kind::missing, "not begun"};
}

}  // namespace

int print_states(const TrainingPlan& plan, const std::string& out) {
  std::size_t width = 3;
  for (const PlannedRun& run : plan) width = std::max(width, run.name.size());
  std::cout << fmt::format("{:{}}  state    detail\n", "run", width);
  std::array<std::size_t, kKindNames.size()> counts{};
  for (const PlannedRun& run : plan) {
    const RunState state = state_of(run, out + "/" + run.name);
    const auto kind = static_cast<std::size_t>(state.kind);
    ++counts[kind];
    std::cout << fmt::format("{:{}}  {:7}  {}\n", run.name, width, kKindNames[kind],
                             printable(state.detail, kMostPrinted));
  }
  std::vector<std::string> parts;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind] > 0) parts.push_back(fmt::format("{} {}", counts[kind], kKindNames[kind]));
  std::cout << '\n' << counted(plan.size(), "run") << ": " << joined(parts) << '\n';
  return kDone;
}

namespace {

constexpr const char* kSlurmFolder = "slurm";  // below the folder of the runs

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

/// What a command of the shell prints on both streams, and how it ended.
struct Said {
  std::vector<std::string> lines;
  bool done = false;
};

Said ask_shell(const std::string& command) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "re");
  if (!pipe) throw InputError("--slurm: no shell can be started");
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  Said said;
  said.done = pclose(pipe) == 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) said.lines.push_back(line);
  return said;
}

/// Hands a script to sbatch. Result: the number of its job.
std::string submitted_job(const std::string& script) {
  const Said said = ask_shell("sbatch --parsable " + shell_word(script));
  std::string job;
  std::vector<std::string> sentences;
  for (std::string line : said.lines) {
    const std::size_t end = line.find_first_not_of("0123456789");
    if (end == std::string::npos || (end > 0 && line[end] == ';'))  // "12", or "12;cluster"
      job = line.substr(0, end);
    for (const std::string prefix : {"sbatch: ", "error: "})
      if (line.starts_with(prefix)) line.erase(0, prefix.size());
    sentences.push_back(line);
  }
  if (!said.done) throw InputError("--slurm: sbatch refuses the job: " + joined(sentences, "; "));
  if (job.empty())
    throw InputError("--slurm: expected the number of a job of sbatch, found " +
                     in_quotes(joined(sentences, "; ")));
  return job;
}

/// Makes out/slurm/N with the first N that no submission has.
std::string new_array_folder(const std::string& slurm_folder) {
  std::error_code failure;
  fs::create_directories(slurm_folder, failure);
  for (int number = 1; !failure; ++number) {
    const fs::path folder = fs::path(slurm_folder) / std::to_string(number);
    if (fs::create_directory(folder, failure)) return fs::absolute(folder).lexically_normal();
  }
  throw InputError(slurm_folder + ": the folder cannot be made");
}

/// The runs that are neither done nor at work; says of the others what they are. A task that still
/// waits is submitted twice: the second one finds the run done, or its folder locked.
TrainingPlan left_to_do(const TrainingPlan& plan, const std::string& out) {
  TrainingPlan left;
  for (const PlannedRun& run : plan) {
    if (*fs::path(run.name).begin() == kSlurmFolder)
      throw InputError("--slurm: expected runs outside the folder " + std::string(kSlurmFolder) +
                       ", which holds the job arrays, found the run " + run.name);
    const RunState state = state_of(run, out + "/" + run.name);
    if (state.kind == Kind::done) {
      std::cerr << run.name << ": done before\n";
    } else if (state.kind == Kind::running) {
      std::cerr << run.name << ": not submitted again, " << state.detail << '\n';
    } else {
      left.push_back(run);
    }
  }
  return left;
}

}  // namespace

int submit_array(const TrainingPlan& plan, const JobOptions& options, const SlurmOptions& slurm) {
  if (!slurm.dry_run) {
    expect_training_program();
    if (!ask_shell("command -v sbatch").done)
      throw InputError(
          "--slurm: expected Slurm's program sbatch on the path, as on a cluster's login node");
  }
  const TrainingPlan submitted = left_to_do(plan, options.out);
  const std::string runs = counted(submitted.size(), "run"),
                    folder = options.out + "/" + kSlurmFolder;
  if (submitted.empty()) {
    std::cerr << "nothing to submit\n";
  } else if (slurm.dry_run) {
    std::cout << script(submitted, fs::absolute(folder + "/N/plan.json").lexically_normal(),
                        options, slurm);
    std::cerr << "would submit " << runs << ", by " << folder << "/N/array.sh\n";
  } else {
    const std::string place = new_array_folder(folder), array = place + "/array.sh";
    try {
      write_training_plan(submitted, place + "/plan.json");
      write_whole_file(array, script(submitted, place + "/plan.json", options, slurm));
      std::cerr << "submitted job " << submitted_job(array) << ": " << runs << ", by " << array
                << '\n';
    } catch (const InputError&) {  // nothing was submitted, so nothing stays
      fs::remove_all(place);
      throw;
    }
  }
  return 0;
}

}}  // namespace logdepth::learned_jobs
