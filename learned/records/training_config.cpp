#include "learned/records/training_config.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/quoted_text.hpp"
#include "learned/records/settings_json.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_records {
namespace {

// The settings of each group, once, for reading, writing and changing.

void settings(LoopRule& c, SettingVisitor& visit) {
  visit("kind", c.kind, {"fixed", "range", "per-doubling", "asked", "adaptive"});
  visit("least", c.least);
  visit("most", c.most);
}

void settings(ModelConfig& c, SettingVisitor& visit) {
  visit("initial", c.initial);
  visit("repeated", c.repeated);
  visit("final", c.final);
  visit.group("loops", [&](SettingVisitor& inner) { settings(c.loops, inner); });
  visit("width", c.width);
  visit("heads", c.heads);
  visit("hidden", c.hidden);
  visit("key_value_heads", c.key_value_heads);
  visit("norm", c.norm, {"layernorm", "rmsnorm"});
  visit("norm_epsilon", c.norm_epsilon);
  visit("norm_place", c.norm_place, {"before", "after"});
  visit("activation", c.activation, {"relu", "gelu", "swiglu"});
  visit("bias", c.bias);
  visit("query_key_norm", c.query_key_norm);
  visit("query_key_norm_over", c.query_key_norm_over, {"head", "all-heads"});
  visit("layer_scale", c.layer_scale);
  visit("positions", c.positions, {"none", "absolute", "rotary", "relative", "deberta"});
  visit("rotary_base", c.rotary_base);
  visit("rotary_pairs", c.rotary_pairs, {"halves", "neighbours"});
  visit("position_rows", c.position_rows);
  visit("max_distance", c.max_distance);
  visit("embedding_deviation", c.embedding_deviation);
  visit("final_norm", c.final_norm);
  visit("readout_bias", c.readout_bias);
  visit("tied_readout", c.tied_readout);
  visit("gate", c.gate, {"none", "gru"});
  visit("gate_bias", c.gate_bias);
  visit("step_embedding", c.step_embedding, {"none", "learned", "clamped", "sinusoidal"});
  visit("step_scale", c.step_scale);
  visit("step_rows", c.step_rows);
  visit("trained_steps", c.trained_steps);
  visit("router", c.router, {"none", "straight-through", "mixture", "untrained"});
}

void settings(ConstructedConfig& c, SettingVisitor& visit) {
  visit.file("weights", c.weights);
  visit("attention", c.attention, {"hard", "softmax"});
  visit("temperature", c.temperature);
  visit("tolerance", c.tolerance);
}

void settings(NetworkConfig& c, SettingVisitor& visit) {
  c.visit(visit);
}

void settings(TrainingConfig& c, SettingVisitor& visit) {
  visit("steps", c.steps);
  visit("seconds", c.seconds);
  visit("learning_rate", c.learning_rate);
  visit("beta1", c.beta1);
  visit("beta2", c.beta2);
  visit("weight_decay", c.weight_decay);
  visit("warm_up", c.warm_up);
  visit("schedule", c.schedule, {"constant", "decaying", "cosine"});
  visit("floor", c.floor);
  visit("decay", c.decay);
  visit("clip", c.clip);
  visit("precision", c.precision, {"float32", "bfloat16"});
  visit("supervision", c.supervision, {"last", "mean-steps", "when-due"});
  visit("empty_discount", c.empty_discount);
  visit("gradient_span", c.gradient_span);
  visit("only", c.only);
  visit("keep_zeros", c.keep_zeros);
  visit("read_every", c.read_every);
  visit("average", c.average);
  visit("promotion", c.promotion);
  visit("stage_least", c.stage_least);
  visit("curve_first", c.curve_first);
}

void settings(RunConfig& c, SettingVisitor& visit) {
  visit("preset", c.preset);
  visit("seed", c.seed);
  visit.file("initial_weights", c.initial_weights);
  visit("initial_layers", c.initial_layers);
  visit.group("task", [&](SettingVisitor& inner) { c.task.visit(inner); });
  visit.group("model", [&](SettingVisitor& inner) { settings(c.model, inner); });
  visit.optional_group("constructed", c.constructed, settings);
  visit.optional_group("network", c.network, settings);
  visit.group("training", [&](SettingVisitor& inner) { settings(c.training, inner); });
}

/// The kinds of tasks that a weights file may be the model of: "words, graphs".
std::string kinds_with_products() {
  std::string list;
  for (const TaskConfig& task : known_kinds<TaskSettings>())
    if (task->asks_products()) list += (list.empty() ? "" : ", ") + std::string(task->kind());
  return list;
}

/// The most loops that a rule says by itself; 0 where the samples decide.
std::uint32_t most_loops(const LoopRule& rule) {
  if (rule.kind == LoopRule::Kind::range) return rule.most;
  if (rule.kind == LoopRule::Kind::adaptive) return kAdaptiveCap;
  return rule.kind == LoopRule::Kind::fixed ? rule.least : 0;
}

}  // namespace

void visit_settings(const RunConfig& config, SettingVisitor& visit) {
  RunConfig copy = config;  // the list of settings serves readers too
  settings(copy, visit);
}

nlohmann::ordered_json to_json(const RunConfig& config) {
  return settings_to_json([&](SettingVisitor& visit) { visit_settings(config, visit); });
}

RunConfig run_config_from_json(const nlohmann::json& json, const std::string& source) {
  RunConfig config;
  read_settings(json, source, [&](SettingVisitor& visit) { settings(config, visit); });
  return config;
}

void set_by_path(RunConfig& config, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  require(equals != std::string::npos && equals > 0,
          "--set: expected NAME=VALUE as in model.width=128, found " + in_quotes(assignment));
  const std::string text = assignment.substr(equals + 1);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;  // a word
  std::string path = assignment.substr(0, equals);
  nlohmann::json change;
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos; dot = path.rfind('.')) {
    value = nlohmann::json{{path.substr(dot + 1), std::move(value)}};
    path.resize(dot);
  }
  change[path] = std::move(value);
  read_settings(change, "--set", [&](SettingVisitor& visit) { settings(config, visit); });
}

std::uint64_t decay_begins(const TrainingConfig& config) {
  const auto falling = static_cast<std::uint64_t>(config.decay * static_cast<double>(config.steps));
  return config.steps - std::min(config.steps, falling);
}

bool continues(const RunConfig& before, const RunConfig& after) {
  const auto without_budget = [](const RunConfig& config) {
    nlohmann::ordered_json json = to_json(config);
    json["training"].erase("seconds");
    if (config.training.schedule != TrainingConfig::Schedule::cosine)
      json["training"].erase("steps");
    return json;
  };
  return without_budget(before) == without_budget(after);
}

bool stacks_with(const RunConfig& one, const RunConfig& other) {
  const auto shared = [](const RunConfig& config) {
    nlohmann::ordered_json json = to_json(config);
    json.erase("seed");
    json["training"].erase("learning_rate");
    return json;
  };
  return one.task->packs() && shared(one) == shared(other);
}

namespace {

void validate_size(const ModelConfig& m) {
  require(m.width > 0 && m.heads > 0 && m.width % m.heads == 0,
          fmt::format("model.heads: expected a divisor of model.width = {}, found {}", m.width,
                      m.heads));
  require(m.hidden > 0, "model.hidden: expected at least 1");
  require(m.layers() > 0, "model: expected at least one layer");
  require(m.width <= 8192 && m.hidden <= 65536 && m.layers() <= 512,
          "model: expected a width up to 8192, hidden up to 65536 and at most 512 layers");
  const double layers = m.layers(), width = m.width;
  if (const double count = layers * width * (4 * width + 3.0 * m.hidden); count > kMostParameters)
    throw SizeLimit(
        fmt::format("the model has up to {} thousand million parameters, expected at most 4: "
                    "choose a smaller model.width, model.hidden or depth",
                    count / 1e9));
  require(m.loops.least <= kLoopLimit && m.loops.most <= kLoopLimit,
          fmt::format("model.loops: expected at most {}", kLoopLimit));
}

void validate_loops(const RunConfig& config) {
  const ModelConfig& m = config.model;
  require(m.repeated == 0 || m.loops.least > 0, "model.loops.least: expected at least 1");
  require(m.loops.kind != LoopRule::Kind::range || m.loops.most >= m.loops.least,
          "model.loops.most: expected at least model.loops.least");
  const bool loop_part =
      m.gate != ModelConfig::Gate::none || m.step_embedding != ModelConfig::StepEmbedding::none;
  require(m.repeated > 0 || !loop_part,
          "model: gate and step_embedding are parts of the loop, expected model.repeated of at "
          "least 1");
  const bool adaptive = m.loops.kind == LoopRule::Kind::adaptive;
  require(adaptive == (m.router != ModelConfig::Router::none),
          "model.router: expected one exactly where model.loops.kind is adaptive");
  require(!adaptive || (m.repeated > 0 && m.loops.most >= 1 && m.loops.most <= kAdaptiveCap),
          fmt::format("model.loops: adaptive expects model.repeated of at least 1 and model.loops."
                      "most of 1 to {}",
                      kAdaptiveCap));
  require(!adaptive || config.training.supervision == TrainingConfig::Supervision::last,
          "training.supervision: an adaptive loop expects last");
}

void validate_parts(const ModelConfig& m) {
  require(m.key_value_heads == 0 || m.heads % m.key_value_heads == 0,
          fmt::format("model.key_value_heads: expected a divisor of model.heads = {}, found {}",
                      m.heads, m.key_value_heads));
  require(m.norm_epsilon > 0 && m.norm_epsilon <= 1,
          "model.norm_epsilon: expected more than 0, at most 1");
  require(m.rotary_base > 1, "model.rotary_base: expected more than 1");
  require(
      m.positions != ModelConfig::Positions::deberta || m.key_value_heads == 0 ||
          m.key_value_heads == m.heads,
      "model.positions: deberta expects keys and values of every head, model.key_value_heads 0");
  require(m.position_rows >= 1 && m.position_rows <= 1U << 20,
          "model.position_rows: expected 1 to 1048576");
  require(m.max_distance >= 1 && m.max_distance <= 4096, "model.max_distance: expected 1 to 4096");
  require(m.positions != ModelConfig::Positions::rotary || m.width / m.heads % 2 == 0,
          "model.positions: rotary needs an even width per head");
  require(m.step_scale > 0 && m.step_scale <= 1000,
          "model.step_scale: expected more than 0 and at most 1000, found " +
              nlohmann::json(m.step_scale).dump());
}

/// What the task asks of the model's loops.
void validate_task_loops(const RunConfig& config) {
  const ModelConfig& m = config.model;
  if (m.step_embedding == ModelConfig::StepEmbedding::learned ||
      m.step_embedding == ModelConfig::StepEmbedding::sinusoidal) {
    const std::uint32_t most = std::max(most_loops(m.loops), config.task->most_loops());
    require(m.step_rows >= most,
            fmt::format("model.step_rows: expected at least {}, the largest number of loops that "
                        "is trained or measured, found {}",
                        most, m.step_rows));
  }
  const bool in_layers =
      !config.constructed && !config.network && m.router == ModelConfig::Router::none;
  // Layers that run on words with so many levels, which have at least as many doublings.
  const auto executed = [&](std::uint32_t levels) {
    const bool grows = m.loops.kind == LoopRule::Kind::per_doubling;
    const std::uint64_t loops = std::uint64_t{m.loops.least} * (grows ? levels : 1);
    return m.initial + m.repeated * loops + m.final;
  };
  if (const std::uint32_t levels = config.task->edge_levels(); levels > 0) {
    require(in_layers, "task.edges: expected a universal transformer without a router");
    require(executed(levels) >= levels,
            fmt::format(
                "task.edges: expected at most {} radices, one for each layer that runs, found {}",
                executed(levels), levels));
  }
  if (const std::uint32_t levels = config.task->taught_levels(); levels > 0) {
    require(in_layers, "task.teach: expected a universal transformer without a router");
    require(m.repeated == 0 || executed(levels) >= levels,
            fmt::format("task.teach: expected a loop of at least {} layers, one for each of the "
                        "windows of 2 to {} letters, found {}",
                        levels, std::uint64_t{1} << levels, executed(levels)));
  }
}

/// What samples that share rows ask of the model: every row runs the same operations.
void validate_packed(const RunConfig& config) {
  if (!config.task->packs()) return;
  const ModelConfig& m = config.model;
  require(!config.constructed && !config.network && m.gate == ModelConfig::Gate::none &&
              m.router == ModelConfig::Router::none && !m.layer_scale && !m.query_key_norm,
          "task.row_tokens: packed words expect a model without gate, router, layer_scale, "
          "query_key_norm, constructed and network");
  require(
      m.positions == ModelConfig::Positions::rotary || m.positions == ModelConfig::Positions::none,
      "task.row_tokens: packed words expect model.positions rotary or none");
  require(m.repeated == 0 || m.loops.kind == LoopRule::Kind::fixed,
          "task.row_tokens: packed words expect model.loops.kind fixed");
}

/// Where the model does not come from its own settings.
void validate_origin(const RunConfig& config) {
  const ModelConfig& m = config.model;
  require(!config.training.keep_zeros || config.constructed,
          "training.keep_zeros: expected constructed.weights, the file whose zeros are meant");
  require(!config.network || config.training.only.empty(),
          "training.only: a network of its own kind is trained as a whole, expected none");
  const auto own_model = [&] {
    RunConfig plain;
    plain.model = m;
    return to_json(plain)["model"] != to_json(RunConfig())["model"];
  };
  if (config.network) {
    require(!own_model() && !config.constructed,
            "network: the model is of its own kind, expected no settings of model or constructed");
    (*config.network)->validate(config);
  }
  require(config.initial_layers.empty() || config.initial_layers.size() == m.layers(),
          fmt::format("initial_layers: expected a layer for each of the {} of the model, found {}",
                      m.layers(), config.initial_layers.size()));
  require(config.initial_layers.empty() || !config.initial_weights.empty(),
          "initial_layers: expected initial_weights, the language model that they are layers of");
  if (const auto& constructed = config.constructed) {
    require(!own_model(),
            "constructed: the model is the weights file, expected no settings of model");
    require(!constructed->weights.empty(), "constructed.weights: expected a weights file");
    require(constructed->temperature > 0, "constructed.temperature: expected more than 0");
    require(constructed->tolerance >= 0 && constructed->tolerance < 1,
            "constructed.tolerance: expected 0 up to, not including, 1");
    require(config.task->asks_products(),
            "constructed: expected a task of " + kinds_with_products());
  }
}

void validate_training(const TrainingConfig& t, const ModelConfig& m) {
  require(t.learning_rate > 0 && t.learning_rate <= 1000,
          "training.learning_rate: expected more than 0, at most 1000");
  require(t.steps > 0, "training.steps: expected at least 1");
  require(t.floor >= 0 && t.floor <= 1, "training.floor: expected 0 to 1");
  require(t.decay >= 0 && t.decay <= 1, "training.decay: expected 0 to 1");
  require(t.empty_discount >= 0 && t.empty_discount < 1,
          "training.empty_discount: expected 0 up to, not including, 1");
  require(t.weight_decay >= 0 && t.weight_decay <= 1, "training.weight_decay: expected 0 to 1");
  require(t.promotion > 0 && t.promotion <= 1, "training.promotion: expected up to 1");
  require(t.beta1 >= 0 && t.beta1 < 1 && t.beta2 >= 0 && t.beta2 < 1,
          "training.beta1, training.beta2: expected 0 up to, not including, 1");
  require(t.seconds >= 0, "training.seconds: expected at least 0");
  require(t.read_every > 0, "training.read_every: expected at least 1");
  require(t.average >= 0 && t.average < 1, "training.average: expected 0 up to, not including, 1");
  require(t.clip > 0, "training.clip: expected more than 0");
  require(t.gradient_span == 0 || m.repeated > 0,
          "training.gradient_span: expected model.repeated of at least 1");
  require(t.supervision == TrainingConfig::Supervision::last || m.repeated > 0,
          "training.supervision: mean-steps and when-due expect model.repeated of at least 1");
}

}  // namespace

void validate(const RunConfig& config) {
  validate_size(config.model);
  config.task->validate();
  require(config.model.embedding_deviation >= 0 && config.model.embedding_deviation <= 1000,
          "model.embedding_deviation: expected 0 to 1000");
  validate_loops(config);
  validate_parts(config.model);
  validate_task_loops(config);
  validate_packed(config);
  validate_origin(config);
  validate_training(config.training, config.model);
}

}  // namespace logdepth::inline learned_records
