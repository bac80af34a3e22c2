#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "learned/records/network_settings.hpp"
#include "learned/records/task_settings.hpp"

namespace logdepth::inline learned_records {

/// Everything that decides a training run: the same configuration and seed give the same bits on
/// one machine. An experiment of a paper is a value of this type and nothing else.

/// How often the repeated block runs.
struct LoopRule {
  enum class Kind {
    fixed,         ///< least times
    range,         ///< in training uniform in least ... most, else most
    per_doubling,  ///< least * ceil(log2 n), at least one
    asked,         ///< as often as the samples ask for (Samples::loops), least times if they do not
    adaptive       ///< until a router halts every token: at most `most` times in training, else
                   ///< kAdaptiveCap times
  };
  Kind kind = Kind::fixed;
  std::uint32_t least = 1, most = 1;
};

/// Loops after which a token of an adaptive loop is halted whatever its router says.
inline constexpr std::uint32_t kAdaptiveCap = 64;

/// An (s, r, t)-universal transformer: s initial layers, r repeated ones, t final ones. A language
/// model is one with all of its layers initial; with a cut it is looped.
struct ModelConfig {
  enum class NormKind { layernorm, rmsnorm };
  enum class NormPlace { before, after };  ///< of the sublayers: pre-norm, or of their output
  enum class Activation { relu, gelu, swiglu };
  enum class Positions {
    none,
    absolute,  ///< a learned vector per position, added to the embedding
    rotary,
    relative,  ///< a learned number per head and distance, added to the scores
    deberta    ///< disentangled: content against distance and distance against content
  };
  enum class Gate { none, gru };
  enum class StepEmbedding { none, learned, clamped, sinusoidal };
  enum class NormOver { head, all_heads };  ///< what a norm of queries and keys runs over
  /// Which channels of a head turn together: c and c + w/2, or 2c and 2c + 1.
  enum class RotaryPairs { halves, neighbours };
  /// What lets an adaptive loop's router learn when to halt a token (adaptive computation time).
  enum class Router {
    none,              ///< the loop is not adaptive
    straight_through,  ///< halts hard, and learns as if it halted softly
    mixture,           ///< the final state is the mean of the states, weighted by the router
    untrained          ///< halts as it was drawn: a control
  };

  std::uint32_t initial = 0, repeated = 1, final = 0;
  LoopRule loops;
  std::uint32_t width = 64, heads = 4, hidden = 256;
  std::uint32_t key_value_heads = 0;  ///< that heads share in groups; 0: one for every head
  NormKind norm = NormKind::layernorm;
  double norm_epsilon = 1e-5;  ///< added to variances
  NormPlace norm_place = NormPlace::before;
  Activation activation = Activation::gelu;
  bool bias = true;
  bool query_key_norm = false;
  NormOver query_key_norm_over = NormOver::head;
  std::optional<double> layer_scale;  ///< initial value of a factor per channel; absent: none
  Positions positions = Positions::none;
  double rotary_base = 10000;
  RotaryPairs rotary_pairs = RotaryPairs::halves;
  std::uint32_t position_rows = 512;  ///< absolute: longer samples are refused
  std::uint32_t max_distance = 32;    ///< relative, deberta: distances are cut to [-this, this)
  double embedding_deviation = 0.5;
  bool final_norm = true;  ///< before the readout
  bool readout_bias = true;
  bool tied_readout = false;  ///< its weights are those of the only embedding table
  Gate gate = Gate::none;
  double gate_bias = -2;
  StepEmbedding step_embedding = StepEmbedding::none;
  std::uint32_t step_rows = 20;  ///< rows of the table; learned: more loops are refused
  /// The vector of a step is a row times this: below 1 it moves more slowly than the rest learns.
  double step_scale = 1;
  std::uint32_t trained_steps = 20;  ///< clamped: later steps read this row
  Router router = Router::none;      ///< of LoopRule::Kind::adaptive

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
  double beta1 = 0.9, beta2 = 0.98;
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
  std::uint32_t gradient_span = 0;  ///< loops that the gradient passes, from the last; 0: all
  /// Names of parameters, or of parts of them, divided by commas: all others stay as they began, as in
  /// "step_embedding" or "query,key". Empty: everything is trained.
  std::string only;
  bool keep_zeros = false;       ///< of a weights file: numbers that are 0 in it stay 0
  std::uint32_t read_every = 4;  ///< steps between readings of loss and accuracy
  double average = 0.8;          ///< of accuracies; 0.95 a step is about 0.8 every 4 steps
  double promotion = 0.97;
  std::uint64_t stage_least = 0;  ///< steps of a stage before it may be left
  /// The score is taken after so many steps, then after twice, four times ... as many, and at the
  /// end: the learning curve. 0: none.
  std::uint64_t curve_first = 1000;
};

struct RunConfig {
  std::string preset;  ///< what it was made from, for reports
  std::uint64_t seed = 1;
  /// What to begin with: the weights of a run (safetensors), or a language model (a file or a
  /// folder); empty: drawn.
  std::string initial_weights;
  /// Of a language model: the layer of it that each layer of this model begins as; empty: all in
  /// their order.
  std::vector<std::uint32_t> initial_layers;
  TaskConfig task;
  ModelConfig model;
  std::optional<ConstructedConfig> constructed;  ///< replaces `model`
  std::optional<NetworkConfig> network;          ///< replaces `model`
  TrainingConfig training;
};

/// Tells a visitor every setting; what it changes is changed in a copy.
void visit_settings(const RunConfig& config, SettingVisitor& visit);
/// The configuration as JSON, every setting spelled out.
nlohmann::ordered_json to_json(const RunConfig& config);
/// Settings that are missing keep their defaults. Errors: InputError naming the setting and what
/// was expected: an unknown name, a wrong type, an unknown word.
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

}  // namespace logdepth::inline learned_records
