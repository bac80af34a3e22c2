#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/task.hpp"

namespace logdepth { inline namespace learned_records {

/// Everything that decides a training run: the same configuration and seed give the same bits on
/// one machine. An experiment of a paper is a value of this type and nothing else.

/// How often the repeated block runs.
struct LoopRule {
  enum class Kind {
    fixed,         ///< least times
    range,         ///< in training uniform in least ... most, else most
    per_doubling,  ///< least * ceil(log2 n), at least one
    asked          ///< as often as the samples ask for (Samples::loops), least times if they do not
  };
  Kind kind = Kind::fixed;
  std::uint32_t least = 1, most = 1;
};

/// An (s, r, t)-universal transformer: s initial layers, r repeated ones, t final ones.
struct ModelConfig {
  enum class NormKind { layernorm, rmsnorm };
  enum class Activation { gelu, swiglu };
  enum class Positions {
    none,
    rotary,
    relative,  ///< a learned number per head and distance, added to the scores
    deberta    ///< disentangled: content against distance and distance against content
  };
  enum class Gate { none, gru };
  enum class StepEmbedding { none, learned };

  std::uint32_t initial = 0, repeated = 1, final = 0;
  LoopRule loops;
  std::uint32_t width = 64, heads = 4, hidden = 256;
  NormKind norm = NormKind::layernorm;
  double norm_epsilon = 1e-5;  ///< added to variances
  Activation activation = Activation::gelu;
  std::optional<double> layer_scale;  ///< initial value of a factor per channel; absent: none
  Positions positions = Positions::none;
  std::uint32_t max_distance = 32;  ///< relative, deberta: distances are cut to [-this, this)
  double embedding_deviation = 0.5;
  bool final_norm = true;  ///< before the readout
  Gate gate = Gate::none;
  StepEmbedding step_embedding = StepEmbedding::none;
  std::uint32_t step_rows = 20;  ///< rows of the table: more loops are refused
  /// The vector of a step is a row times this: below 1 it moves more slowly than the rest learns.
  double step_scale = 1;

  /// Distinct ones, each counted once however often it runs.
  std::uint32_t layers() const { return initial + repeated + final; }
};

/// A weights file as a network, instead of a ModelConfig: every number of it rounded to double and
/// trainable, its masks and positions fixed.
struct ConstructedConfig {
  enum class Attention {
    hard,    ///< the average over the keys whose score is largest within `tolerance`
    softmax  ///< of temperature * score
  };
  std::string weights;  ///< the file
  Attention attention = Attention::hard;
  double temperature = 1;
  /// What counts as a tie, relative to |q||k|, and as zero before a norm.
  double tolerance = 1e-9;
};

struct TrainingConfig {
  enum class Supervision {
    last,        ///< the answers after the last loop
    mean_steps,  ///< the mean of the losses after every loop
    when_due     ///< the same, where a target counts from the loop on at which it is due
  };
  enum class Schedule {
    constant,
    decaying,  ///< constant, then linear down to `floor` in the last share `decay` of the steps
    cosine     ///< half a cosine down to `floor`
  };
  std::uint64_t steps = 2000;
  double seconds = 0;  ///< 0: no limit
  double learning_rate = 1e-3;
  double weight_decay = 0.01;
  std::uint64_t warm_up = 100;  ///< steps of linear growth
  Schedule schedule = Schedule::decaying;
  double floor = 0.1;  ///< of the rate, as a share of learning_rate
  double decay = 0.1;  ///< share of the steps in which a decaying rate falls
  double clip = 1;     ///< largest norm of the gradient
  enum class Precision { float32, bfloat16 };
  Precision precision = Precision::float32;  ///< of matrix products; sums and norms are float32
  Supervision supervision = Supervision::last;
  /// alpha of CE(p, y) (1 - alpha p[empty]), a loss that forgives "not known yet"; 0: none.
  double empty_discount = 0;
  /// Names of parameters, or of parts of them, divided by commas: all others stay as they began, as in
  /// "step_embedding" or "query,key". Empty: everything is trained.
  std::string only;
  bool keep_zeros = false;       ///< of a weights file: numbers that are 0 in it stay 0
  std::uint32_t read_every = 4;  ///< steps between readings of loss and accuracy
  double average = 0.8;          ///< of accuracies; 0.95 a step is about 0.8 every 4 steps
  double promotion = 0.97;
  /// The score is taken after so many steps, then after twice, four times ... as many, and at the
  /// end: the learning curve. 0: none.
  std::uint64_t curve_first = 1000;
};

struct RunConfig {
  std::string preset;  ///< what it was made from, for reports
  std::uint64_t seed = 1;
  /// What to begin with: the weights of a run (safetensors); empty: drawn.
  std::string initial_weights;
  TaskConfig task;
  ModelConfig model;
  std::optional<ConstructedConfig> constructed;  ///< replaces `model`
  TrainingConfig training;
};

/// The configuration as JSON, every setting spelled out.
nlohmann::ordered_json to_json(const RunConfig& config);
/// Changes the settings that the object names. Errors: InputError naming the setting and what was
/// expected: an unknown name, a wrong type, an unknown word.
void change_settings(RunConfig& config, const nlohmann::json& json, const std::string& source);
/// Settings that are missing keep their defaults. Errors: InputError as above.
RunConfig run_config_from_json(const nlohmann::json& json, const std::string& source);
/// Changes one setting by its path, as in "model.width=128". Errors: InputError as above.
void set_by_path(RunConfig& config, const std::string& assignment);
/// The step, counted from 0, from which a decaying rate falls.
std::uint64_t decay_begins(const TrainingConfig& config);
/// Whether a run of `before` may be gone on with under `after`: all but the budget is the same. (A
/// constant rate does not know the number of steps, a decaying one not before it falls; a cosine
/// does.)
bool continues(const RunConfig& before, const RunConfig& after);
/// Whether two runs may be trained as one stack: they pack their samples into rows, and differ in seed
/// and learning rate only.
bool stacks_with(const RunConfig& one, const RunConfig& other);
/// Models of more parameters are refused.
inline constexpr double kMostParameters = 4e9;
/// More loops than these are refused.
inline constexpr std::uint32_t kLoopLimit = 65536;
/// Errors: InputError where settings contradict each other or are out of range; SizeLimit beyond
/// kMostParameters.
void validate(const RunConfig& config);
/// The same; what is refused names the place.
void validate(const RunConfig& config, const std::string& place);

/// A training run with a name, the folder below the plan's own where it is stored.
struct PlannedRun {
  std::string name;  ///< as "S3/stack-4/seed-1"
  RunConfig config;
};
using TrainingPlan = std::vector<PlannedRun>;

/// Reads `{"format": "logdepth-plan", "version": 1, "runs": [{"name", "config"},
/// ...]}`. Errors: InputError naming the file, the run and what was expected; names are unique,
/// relative and without "..".
TrainingPlan read_training_plan(const std::string& file);
void write_training_plan(const TrainingPlan& plan, const std::string& file);

/// The tree of a JSON file that people write. Errors: InputError naming line and column of what is not
/// JSON, and of a comma that nothing follows.
nlohmann::json read_json_tree(const std::string& file);

/// SHA-256 of every file that the settings of a run name, by name. Files that are not there are left
/// out. Empty: a run that reads none. Errors: InputError for a file that cannot be read.
nlohmann::ordered_json input_hashes(const RunConfig& config);

/// Errors: InputError where RunConfig::initial_weights is no file.
void check_initial_weights(const RunConfig& config);

}}  // namespace logdepth::learned_records
