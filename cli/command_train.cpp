#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "learned/jobs/slurm_array.hpp"
#include "learned/jobs/training_jobs.hpp"
#include "learned/papers.hpp"
#include "learned/records/experiment.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// What every kind of training run can be told.
struct TrainArguments {
  JobOptions jobs;
  std::vector<std::uint64_t> seeds = {1};
  std::optional<std::uint64_t> steps;
  std::optional<double> seconds;
  std::vector<std::string> settings;
  std::string weights, write_plan;
};

void add_run_options(CLI::App& command, TrainArguments& options) {
  command.add_option("--out", options.jobs.out,
                     "folder of the runs; finished runs in it are not repeated");
  command.add_option("--device", options.jobs.device, "device to train on")
      ->check(choice_of({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--jobs", options.jobs.jobs, "number of parallel runs, one process per run")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--threads", options.jobs.threads,
                  "threads per run; runs with one thread are repeatable bit for bit")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--together", options.jobs.together,
                  "seeds of one configuration that one process trains as a stack; only runs with "
                  "packed words are trained together")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

void add_options(CLI::App& command, TrainArguments& options) {
  add_run_options(command, options);
  command.add_option("--seeds", options.seeds, "one run per seed, as 1,2,3")
      ->delimiter(',')
      ->check(kCount)
      ->capture_default_str();
  command.add_option("--steps", options.steps, "training steps per run")->check(kSmallCount);
  command
      .add_option("--seconds", options.seconds,
                  "time limit per run in seconds; the network trained until then is measured")
      ->check(kAboveZero);
  command.add_option("--set", options.settings,
                     "change a setting, as model.width=128 (--write-plan lists all settings)");
  command.add_option("--from", options.weights, "initial weights: a run, or a safetensors file");
  command.add_option("--write-plan", options.write_plan,
                     "write the runs with all settings to this file, without training");
}

/// Adds a run for every seed.
void plan_runs(TrainingPlan& plan, const PlannedRun& run, const TrainArguments& options) {
  RunConfig config = run.config;
  if (options.steps) config.training.steps = *options.steps;
  if (options.seconds) config.training.seconds = *options.seconds;
  if (!options.weights.empty()) {
    config.initial_weights = options.weights;
    if (std::filesystem::is_directory(options.weights))
      config.initial_weights += std::string("/") + kWeightsFile;
  }
  const std::string kind = config.task->kind();
  const std::uint64_t seed_before = config.seed;
  for (const std::string& setting : options.settings) set_by_path(config, setting);
  if (config.task->kind() != kind)
    throw InputError("--set: task.kind is what the command trains, it cannot be changed");
  if (config.seed != seed_before) throw InputError("--set: seeds are given by --seeds");
  for (const std::uint64_t seed : options.seeds) {
    config.seed = seed;
    plan.push_back({fmt::format("{}/seed-{}", run.name, seed), config});
  }
}

/// Refuses what does not fit before anything is trained.
void check(const TrainingPlan& plan) {
  std::set<std::string> names;
  for (const PlannedRun& run : plan) {
    if (!names.insert(run.name).second)
      throw InputError("duplicate run name " + in_quotes(run.name));
    validate(run.config);
    run.config.task->make_task(run.config.seed);
    check_initial_weights(run.config);
    if (const auto& constructed = run.config.constructed;
        constructed && !std::filesystem::is_regular_file(constructed->weights))
      throw InputError(constructed->weights + ": expected a weights file to start from");
  }
}

int carry_out_or_write(const TrainingPlan& plan, const TrainArguments& options) {
  check(plan);
  if (!options.write_plan.empty()) {
    write_training_plan(plan, options.write_plan);
    std::cerr << "wrote " << options.write_plan << ": " << counted(plan.size(), "run") << '\n';
    return kDone;
  }
  if (options.jobs.out.empty()) throw InputError("--out: expected the folder of the runs");
  return carry_out(plan, options.jobs);
}

Command add_experiment(CLI::App& train, std::shared_ptr<Experiment> experiment) {
  CLI::App* command = train.add_subcommand(experiment->name(), experiment->help());
  ExperimentOptions add(*command);
  experiment->add_options(add);
  auto options = std::make_shared<TrainArguments>();
  add_options(*command, *options);
  return [experiment, options] {
    TrainingPlan plan;
    for (const PlannedRun& run : experiment->runs()) plan_runs(plan, run, *options);
    return carry_out_or_write(plan, *options);
  };
}

}  // namespace

void add_experiments(Commands& commands, CLI::App& train) {
  std::vector<std::shared_ptr<Experiment>> experiments;
  for (const Paper& paper : papers())
    for (const MakeExperiment make : paper.experiments) experiments.push_back(make());
  // What goes on from the compiler's weights stands behind what begins anew.
  std::stable_partition(experiments.begin(), experiments.end(),
                        [](const auto& experiment) { return !experiment->begins_with_weights(); });
  for (const auto& experiment : experiments)
    add(commands, train, [&](CLI::App& to) { return add_experiment(to, experiment); });
}

namespace {

/// A word of Slurm's: what it means is for sbatch to judge.
const CLI::Validator kSlurmWord(
    [](const std::string& text) {
      const bool word = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) ||
               std::string_view("-_:.,").find(static_cast<char>(c)) != std::string_view::npos;
      });
      return word ? std::string()
                  : "expected letters, digits and the signs - _ : . , found " + in_quotes(text);
    },
    "WORD");

struct PlanArguments {
  TrainArguments common;
  std::string file;
  std::vector<std::string> names;
  bool submit = false, status = false;
  SlurmOptions slurm;
};

/// The runs that were named, in the order of the plan; all without names.
TrainingPlan chosen(TrainingPlan plan, const PlanArguments& options) {
  for (const std::string& name : options.names)
    if (std::none_of(plan.begin(), plan.end(), [&](const auto& run) { return run.name == name; }))
      throw InputError("--run: expected the name of a run of " + options.file + ", found " +
                       in_quotes(name));
  if (!options.names.empty())
    std::erase_if(plan, [&](const PlannedRun& run) {
      return std::find(options.names.begin(), options.names.end(), run.name) == options.names.end();
    });
  return plan;
}

int train_plan(PlanArguments& options) {
  const TrainingPlan plan = chosen(read_training_plan(options.file), options);
  if (!options.submit && !options.status) return carry_out_or_write(plan, options.common);
  const JobOptions& jobs = options.common.jobs;
  if (jobs.out.empty()) throw InputError("--out: expected the folder of the runs");
  if (options.status) return print_states(plan, jobs.out);
  check(plan);
  options.slurm.name = std::filesystem::path(options.file).stem();
  return submit_array(plan, jobs, options.slurm);
}

}  // namespace

Command add_train_plan(CLI::App& train) {
  auto plan = std::make_shared<PlanArguments>();
  CLI::App* command =
      train.add_subcommand("plan",
                           "carry out the runs of a plan file, on this machine or on a cluster; "
                           "finished runs are not repeated\nExample: logdepth train plan "
                           "examples/plans/depth.json --device cuda --jobs 6 --out runs");
  command->add_option("file", plan->file, "plan file, as written by --write-plan")->required();
  command->add_option("--run", plan->names, "carry out only the run of this name");
  add_run_options(*command, plan->common);
  CLI::Option* const slurm = command->add_flag(
      "--slurm", plan->submit,
      "submit the runs without a record to Slurm as a job array, one task per run");
  CLI::Option* const status = command->add_flag("--status", plan->status,
                                                "print the progress of each run, without training");
  status->excludes(slurm);
  for (const char* name : {"--jobs", "--threads", "--device", "--together"})
    command->get_option(name)->excludes(status);
  for (const char* name : {"--jobs", "--together"}) command->get_option(name)->excludes(slurm);
  command
      ->add_option("--partition", plan->slurm.partition, "Slurm partition (default: that of Slurm)")
      ->needs(slurm)
      ->check(kSlurmWord);
  command
      ->add_option("--time", plan->slurm.time,
                   "time limit per task, as Slurm reads it: minutes, 12:00:00, 2-00:00:00")
      ->needs(slurm)
      ->check(kSlurmWord);
  command->add_option("--array-limit", plan->slurm.array_limit, "largest number of parallel tasks")
      ->needs(slurm)
      ->check(CLI::Range(1, 1000000));
  command->add_option("--memory", plan->slurm.memory, "memory per task in GiB")
      ->needs(slurm)
      ->check(CLI::Range(1, 65536));
  command
      ->add_option("--gres", plan->slurm.gres,
                   "generic resources per task, as Slurm reads them: gpu:h100:1 (default with "
                   "--device cuda: gpu:1)")
      ->needs(slurm)
      ->check(kSlurmWord);
  command
      ->add_flag("--dry-run", plan->slurm.dry_run,
                 "print the script of the job array instead of submitting it")
      ->needs(slurm);
  return [plan] { return train_plan(*plan); };
}

}}  // namespace logdepth::cli
