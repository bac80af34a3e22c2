#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/training_jobs.hpp"
#include "learned/records/task.hpp"
#include "learned/word_problems/presets.hpp"
#include "objects/input_error.hpp"

namespace logdepth {
namespace {

/// One of the words of an enumeration, in the order of its values.
CLI::Validator word_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
  return CLI::Validator(
      [words, list](std::string& text) {
        for (std::size_t i = 0; i < words.size(); ++i)
          if (text == words[i]) {
            text = std::to_string(i);  // what CLI11 makes an enumeration of
            return std::string();
          }
        return "expected " + list + ", found '" + text + "'";
      },
      list);
}
const CLI::Validator kAboveZero(
    [](const std::string& text) {
      char* end = nullptr;
      const double value = std::strtod(text.c_str(), &end);
      return *end == '\0' && value > 0 && std::isfinite(value)
                 ? std::string()
                 : "expected a number above 0, found '" + text + "'";
    },
    "NUMBER");

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
                     "folder of the runs; those it has are not repeated");
  command.add_option("--device", options.jobs.device, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--jobs", options.jobs.jobs, "runs at the same time, a process each")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command
      .add_option("--threads", options.jobs.threads,
                  "of each run; the bits of a run are repeatable with one")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
}

void add_options(CLI::App& command, TrainArguments& options) {
  add_run_options(command, options);
  command.add_option("--seeds", options.seeds, "a run for each, as 1,2,3")
      ->delimiter(',')
      ->check(kCount)
      ->capture_default_str();
  command.add_option("--steps", options.steps, "budget of each run")->check(kSmallCount);
  command
      .add_option("--seconds", options.seconds,
                  "second budget of each run; what was learned until then is measured")
      ->check(kAboveZero);
  command.add_option("--set", options.settings,
                     "change a setting, as model.width=128 (all of them: --write-plan)");
  command.add_option("--from", options.weights, "begin with the weights of a safetensors file");
  command.add_option("--write-plan", options.write_plan,
                     "write the runs with all their settings to a file, train nothing");
}

/// Adds a run for every seed.
void plan_runs(TrainingPlan& plan, const std::string& name, RunConfig config,
               const TrainArguments& options) {
  if (options.steps) config.training.steps = *options.steps;
  if (options.seconds) config.training.seconds = *options.seconds;
  config.initial_weights = options.weights;
  const std::size_t kind = config.task.index();
  const std::uint64_t seed_before = config.seed;
  for (const std::string& setting : options.settings) set_by_path(config, setting);
  if (config.task.index() != kind)
    throw InputError("--set: task.kind is what the command trains, it cannot be changed");
  if (config.seed != seed_before) throw InputError("--set: seeds are given by --seeds");
  for (const std::uint64_t seed : options.seeds) {
    config.seed = seed;
    plan.push_back({name + "/seed-" + std::to_string(seed), config});
  }
}

/// Refuses what does not fit before anything is trained.
void check(const TrainingPlan& plan) {
  std::set<std::string> names;
  for (const PlannedRun& run : plan) {
    if (!names.insert(run.name).second)
      throw InputError("two runs would be called " + run.name + ", expected each once");
    validate(run.config);
    make_task(run.config.task, run.config.seed);
    for (const std::string& file :
         {run.config.initial_weights,
          run.config.constructed ? run.config.constructed->weights : std::string()})
      if (!file.empty() && !std::filesystem::is_regular_file(file))
        throw InputError(file + ": expected a file of weights to begin with");
  }
}

int carry_out_or_write(const TrainingPlan& plan, const TrainArguments& options) {
  check(plan);
  if (!options.write_plan.empty()) {
    write_training_plan(plan, options.write_plan);
    std::cerr << "wrote " << options.write_plan << ": " << plan.size() << " runs\n";
    return kDone;
  }
  if (options.jobs.out.empty()) throw InputError("--out: expected the folder of the runs");
  return carry_out(plan, options.jobs);
}

struct TrainWordsArguments {
  TrainArguments common;
  std::vector<std::string> monoids = {"S3"};
  WordModel kind = WordModel::stack;
  std::vector<std::uint32_t> depths = {1, 2, 4, 6};
  std::vector<std::uint32_t> widths;
  std::uint32_t block = 1;
  std::optional<std::uint32_t> max_length;
  std::string data;
};

int train_words(const TrainWordsArguments& options) {
  static const char* const kNames[] = {"stack", "loop", "adaptive-loop"};
  if (options.kind == WordModel::stack && options.block != 1)
    throw InputError("--block: a stack has no repeated block, expected --kind loop");
  TrainingPlan plan;
  for (const std::string& monoid : options.monoids)
    for (const std::uint32_t depth : options.depths) {
      RunConfig config = word_problem(monoid, options.kind, depth, options.block);
      auto& task = std::get<WordTaskConfig>(config.task);
      if (options.max_length) task.max_length = *options.max_length;
      task.data = options.data;
      const std::string name =
          monoid + "/" + kNames[static_cast<int>(options.kind)] + "-" + std::to_string(depth);
      if (options.widths.empty()) plan_runs(plan, name, config, options.common);
      for (const std::uint32_t width : options.widths) {
        config.model.width = width;
        config.model.hidden = 4 * width;
        plan_runs(plan, name + "-width-" + std::to_string(width), config, options.common);
      }
    }
  return carry_out_or_write(plan, options.common);
}

struct HopOptions {
  TrainArguments common;
  std::vector<HopTaskConfig::Generator> generators = {HopTaskConfig::Generator::twin};
  std::vector<TrainingConfig::Supervision> supervision = {TrainingConfig::Supervision::last};
  bool paper_size = false;
};

int train_hops(const HopOptions& options) {
  static const char* const kGenerators[] = {"twin", "natural", "random-pairs"};
  static const char* const kSupervision[] = {"last", "mean-steps"};
  TrainingPlan plan;
  for (const auto generator : options.generators)
    for (const auto supervision : options.supervision) {
      RunConfig config = depth_recurrent(generator, options.paper_size);
      config.training.supervision = supervision;
      plan_runs(plan,
                std::string(kGenerators[static_cast<int>(generator)]) + "/" +
                    kSupervision[static_cast<int>(supervision)],
                config, options.common);
    }
  return carry_out_or_write(plan, options.common);
}

struct RelationOptions {
  TrainArguments common;
  RelationTaskConfig::Tokens tokens = RelationTaskConfig::Tokens::rows;
  std::uint32_t vertices = 16;
  std::vector<std::uint32_t> depths = {1, 2, 3};
  bool looped = false;
};

int train_relation(const RelationOptions& options) {
  const bool rows = options.tokens == RelationTaskConfig::Tokens::rows;
  TrainingPlan plan;
  for (const std::uint32_t depth : options.depths)
    plan_runs(plan,
              std::string(rows ? "rows-" : "pairs-") + std::to_string(options.vertices) + "/" +
                  (!rows || options.looped ? "loop-" : "stack-") + std::to_string(depth),
              relation(options.tokens, options.vertices, depth, options.looped), options.common);
  return carry_out_or_write(plan, options.common);
}

struct ConstructionOptions {
  TrainArguments common;
  std::string weights, monoid;
  WordTaskConfig::Letters letters = WordTaskConfig::Letters::generators;
  ConstructedConfig::Attention attention = ConstructedConfig::Attention::hard;
  double temperature = 1;
  std::uint32_t length = 32;
};

int train_construction(const ConstructionOptions& options) {
  RunConfig config =
      from_construction(options.weights, options.monoid, options.letters, options.length);
  config.constructed->attention = options.attention;
  config.constructed->temperature = options.temperature;
  TrainingPlan plan;
  plan_runs(plan, options.monoid + "/construction", config, options.common);
  return carry_out_or_write(plan, options.common);
}

}  // namespace

Command add_train_words(CLI::App& train) {
  auto options = std::make_shared<TrainWordsArguments>();
  CLI::App* command = train.add_subcommand(
      "word-problem",
      "train decoders on prefix products of groups (MS25 section 7): how far do they get at which "
      "depth?\nExample: logdepth train word-problem --monoid Z2,S3 --depths 1,2,4 --jobs 2 --out "
      "runs");
  command->add_option("--monoid", options->monoids, "as compile regular --group names them: S3,A5")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--kind", options->kind,
                   "stack (different layers), loop (one block repeated), adaptive-loop (the block "
                   "--depths times per doubling of the length)")
      ->transform(word_of({"stack", "loop", "adaptive-loop"}))
      ->default_str("stack");
  command->add_option("--depths", options->depths, "layers; adaptive-loop: blocks per doubling")
      ->delimiter(',')
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  command->add_option("--widths", options->widths, "a run for each width, as 32,64,128")
      ->delimiter(',')
      ->check(CLI::Range(4, 8192));
  command->add_option("--block", options->block, "layers of the repeated block")
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  command->add_option("--max-length", options->max_length, "of the curriculum 2, 4, 8, ...")
      ->check(CLI::Range(2, 65536));
  command->add_option("--data", options->data,
                      "train on the words of a CSV file: seed,input,target (see data words)");
  add_options(*command, options->common);
  return [options] { return train_words(*options); };
}

Command add_train_hops(CLI::App& train) {
  auto options = std::make_shared<HopOptions>();
  CLI::App* command = train.add_subcommand(
      "depth-recurrent",
      "train the depth-recurrent transformer of Chen 2026 on paths in graphs\n"
      "Example: logdepth train depth-recurrent --generator twin --out runs/hops");
  command
      ->add_option("--generator", options->generators,
                   "twin (no shortcut below k steps), natural (with one), random-pairs")
      ->delimiter(',')
      ->transform(word_of({"twin", "natural", "random-pairs"}))
      ->default_str("twin");
  command
      ->add_option("--supervision", options->supervision,
                   "last (silent thinking) or mean-steps (a loss after every step)")
      ->delimiter(',')
      ->transform(word_of({"last", "mean-steps"}))
      ->default_str("last");
  command->add_flag("--paper-size", options->paper_size, "width 128 and 5000 steps, as published");
  add_options(*command, options->common);
  return [options] { return train_hops(*options); };
}

Command add_train_rows(CLI::App& train) {
  auto options = std::make_shared<RelationOptions>();
  CLI::App* command = train.add_subcommand(
      "row-tokens",
      "train transformers on the reachability relation, a token per row of the adjacency matrix\n"
      "Example: logdepth train row-tokens --depths 1,2,3 --out runs/rows");
  command->add_option("--vertices", options->vertices, "of every graph")
      ->check(CLI::Range(2, 256))
      ->capture_default_str();
  command->add_option("--depths", options->depths, "layers")
      ->delimiter(',')
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  command->add_flag("--looped", options->looped, "one layer repeated instead of different ones");
  add_options(*command, options->common);
  return [options] { return train_relation(*options); };
}

Command add_train_pairs(CLI::App& train) {
  auto options = std::make_shared<RelationOptions>();
  options->tokens = RelationTaskConfig::Tokens::pairs;
  options->vertices = 5;
  options->depths = {1};
  CLI::App* command = train.add_subcommand(
      "pair-tokens",
      "the same with the tokens of MS25 Thm 5.1: n^2 pairs and n^3 padding tokens, a block of two "
      "layers per doubling\nExample: logdepth train pair-tokens --vertices 5 --out runs/pairs");
  command->add_option("--vertices", options->vertices, "of every graph")
      ->check(CLI::Range(2, 16))
      ->capture_default_str();
  command->add_option("--blocks", options->depths, "blocks per doubling of the vertices")
      ->delimiter(',')
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  add_options(*command, options->common);
  return [options] { return train_relation(*options); };
}

Command add_train_construction(CLI::App& train) {
  auto options = std::make_shared<ConstructionOptions>();
  CLI::App* command = train.add_subcommand(
      "construction",
      "go on from compiled weights by gradient descent: is the construction kept?\n"
      "Example: logdepth train construction a5.json --monoid A5 --out runs/kept");
  command->add_option("weights", options->weights, "weights file of compile regular --group")
      ->required();
  command->add_option("--monoid", options->monoid, "the group")->required();
  command->add_option("--letters", options->letters, "of the weights file: generators or all")
      ->transform(word_of({"all", "generators"}))
      ->default_str("generators");
  command
      ->add_option("--attention", options->attention,
                   "hard (the selection is a constant of every step) or softmax")
      ->transform(word_of({"hard", "softmax"}))
      ->default_str("hard");
  command->add_option("--temperature", options->temperature, "softmax of this times the score")
      ->check(kAboveZero)
      ->capture_default_str();
  command->add_option("--length", options->length, "letters of the longest words")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  add_options(*command, options->common);
  return [options] { return train_construction(*options); };
}

Command add_train_plan(CLI::App& train) {
  struct Plan {
    TrainArguments common;
    std::string file;
  };
  auto plan = std::make_shared<Plan>();
  CLI::App* command = train.add_subcommand(
      "plan",
      "carry out the runs of a plan file; what is done stays done\n"
      "Example: logdepth train plan examples/plans/h200.json --device cuda --jobs 3 --out runs");
  command->add_option("file", plan->file, "the plan, as --write-plan writes it")->required();
  add_run_options(*command, plan->common);
  return [plan] { return carry_out_or_write(read_training_plan(plan->file), plan->common); };
}

}  // namespace logdepth
