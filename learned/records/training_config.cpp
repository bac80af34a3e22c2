#include "learned/records/training_config.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <type_traits>

#include "objects/input_error.hpp"

namespace logdepth {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// The words of an enumeration, in the order of its values.
template <class E>
using Words = std::vector<std::pair<E, const char*>>;

Words<WordTaskConfig::Letters> words(WordTaskConfig::Letters) {
  return {{WordTaskConfig::Letters::all, "all"},
          {WordTaskConfig::Letters::generators, "generators"}};
}
Words<HopTaskConfig::Generator> words(HopTaskConfig::Generator) {
  using G = HopTaskConfig::Generator;
  return {{G::twin, "twin"}, {G::natural, "natural"}, {G::random_pairs, "random-pairs"}};
}
Words<RelationTaskConfig::Tokens> words(RelationTaskConfig::Tokens) {
  return {{RelationTaskConfig::Tokens::rows, "rows"}, {RelationTaskConfig::Tokens::pairs, "pairs"}};
}
Words<LoopRule::Kind> words(LoopRule::Kind) {
  using K = LoopRule::Kind;
  return {{K::fixed, "fixed"}, {K::range, "range"}, {K::per_doubling, "per-doubling"}};
}
Words<ModelConfig::NormKind> words(ModelConfig::NormKind) {
  return {{ModelConfig::NormKind::layernorm, "layernorm"},
          {ModelConfig::NormKind::rmsnorm, "rmsnorm"}};
}
Words<ModelConfig::NormPlace> words(ModelConfig::NormPlace) {
  return {{ModelConfig::NormPlace::before, "before"}, {ModelConfig::NormPlace::after, "after"}};
}
Words<ModelConfig::Activation> words(ModelConfig::Activation) {
  using A = ModelConfig::Activation;
  return {{A::relu, "relu"}, {A::gelu, "gelu"}, {A::swiglu, "swiglu"}};
}
Words<ModelConfig::Positions> words(ModelConfig::Positions) {
  using P = ModelConfig::Positions;
  return {{P::none, "none"}, {P::absolute, "absolute"}, {P::rotary, "rotary"}};
}
Words<ModelConfig::Gate> words(ModelConfig::Gate) {
  using G = ModelConfig::Gate;
  return {{G::none, "none"}, {G::gru, "gru"}, {G::residual_norm, "residual-norm"}};
}
Words<ModelConfig::StepEmbedding> words(ModelConfig::StepEmbedding) {
  using S = ModelConfig::StepEmbedding;
  return {{S::none, "none"},
          {S::learned, "learned"},
          {S::clamped, "clamped"},
          {S::sinusoidal, "sinusoidal"}};
}
Words<ModelConfig::Injection> words(ModelConfig::Injection) {
  using I = ModelConfig::Injection;
  return {{I::none, "none"}, {I::add, "add"}, {I::concat, "concat"}};
}
Words<ModelConfig::Discretiser> words(ModelConfig::Discretiser) {
  return {{ModelConfig::Discretiser::none, "none"}, {ModelConfig::Discretiser::argmax, "argmax"}};
}
Words<ModelConfig::Halting> words(ModelConfig::Halting) {
  using H = ModelConfig::Halting;
  return {{H::budget, "budget"}, {H::fixed_point, "fixed-point"}, {H::head, "head"}};
}
Words<ConstructedConfig::Attention> words(ConstructedConfig::Attention) {
  using A = ConstructedConfig::Attention;
  return {{A::hard, "hard"}, {A::softmax, "softmax"}};
}
Words<TrainingConfig::Supervision> words(TrainingConfig::Supervision) {
  return {{TrainingConfig::Supervision::last, "last"},
          {TrainingConfig::Supervision::mean_steps, "mean-steps"}};
}
Words<TrainingConfig::Precision> words(TrainingConfig::Precision) {
  using P = TrainingConfig::Precision;
  return {{P::float32, "float32"}, {P::bfloat16, "bfloat16"}};
}
Words<TrainingConfig::Schedule> words(TrainingConfig::Schedule) {
  return {{TrainingConfig::Schedule::constant, "constant"},
          {TrainingConfig::Schedule::cosine, "cosine"}};
}

/// The settings of each group, once, for reading, writing and changing.
template <class Visit>
void fields(WordTaskConfig& c, Visit& visit) {
  visit("monoid", c.monoid);
  visit("letters", c.letters);
  visit("max_length", c.max_length);
  visit("batch_tokens", c.batch_tokens);
  visit("batch_least", c.batch_least);
  visit("validation", c.validation);
  visit("threshold", c.threshold);
  visit("data", c.data);
  visit("shuffled_labels", c.shuffled_labels);
}
template <class Visit>
void fields(HopTaskConfig& c, Visit& visit) {
  visit("generator", c.generator);
  visit("hops", c.hops);
  visit("chain", c.chain);
  visit("pool", c.pool);
  visit("test_chain", c.test_chain);
  visit("identities", c.identities);
  visit("masked", c.masked);
  visit("batch", c.batch);
  visit("test_hops", c.test_hops);
  visit("test_loops", c.test_loops);
  visit("validation", c.validation);
  visit("threshold", c.threshold);
}
template <class Visit>
void fields(RelationTaskConfig& c, Visit& visit) {
  visit("tokens", c.tokens);
  visit("vertices", c.vertices);
  visit("cut", c.cut);
  visit("batch", c.batch);
  visit("validation", c.validation);
  visit("threshold", c.threshold);
  visit("false_positives", c.false_positives);
}
template <class Visit>
void fields(LoopRule& c, Visit& visit) {
  visit("kind", c.kind);
  visit("least", c.least);
  visit("most", c.most);
}
template <class Visit>
void fields(ModelConfig& c, Visit& visit) {
  visit("initial", c.initial);
  visit("repeated", c.repeated);
  visit("final", c.final);
  visit("loops", c.loops);
  visit("width", c.width);
  visit("heads", c.heads);
  visit("hidden", c.hidden);
  visit("norm", c.norm);
  visit("norm_place", c.norm_place);
  visit("activation", c.activation);
  visit("bias", c.bias);
  visit("query_key_norm", c.query_key_norm);
  visit("layer_scale", c.layer_scale);
  visit("positions", c.positions);
  visit("embedding_deviation", c.embedding_deviation);
  visit("final_norm", c.final_norm);
  visit("gate", c.gate);
  visit("gate_bias", c.gate_bias);
  visit("step_embedding", c.step_embedding);
  visit("step_rows", c.step_rows);
  visit("trained_steps", c.trained_steps);
  visit("injection", c.injection);
  visit("discretiser", c.discretiser);
  visit("codes", c.codes);
  visit("corruption", c.corruption);
  visit("halting", c.halting);
}
template <class Visit>
void fields(ConstructedConfig& c, Visit& visit) {
  visit("weights", c.weights);
  visit("attention", c.attention);
  visit("temperature", c.temperature);
  visit("tolerance", c.tolerance);
}
template <class Visit>
void fields(TrainingConfig& c, Visit& visit) {
  visit("steps", c.steps);
  visit("seconds", c.seconds);
  visit("learning_rate", c.learning_rate);
  visit("beta1", c.beta1);
  visit("beta2", c.beta2);
  visit("weight_decay", c.weight_decay);
  visit("warm_up", c.warm_up);
  visit("schedule", c.schedule);
  visit("floor", c.floor);
  visit("clip", c.clip);
  visit("precision", c.precision);
  visit("supervision", c.supervision);
  visit("gradient_span", c.gradient_span);
  visit("read_every", c.read_every);
  visit("average", c.average);
  visit("promotion", c.promotion);
  visit("stage_least", c.stage_least);
}
template <class Visit>
void fields(RunConfig& c, Visit& visit) {
  visit("preset", c.preset);
  visit("seed", c.seed);
  visit("initial_weights", c.initial_weights);
  visit("task", c.task);
  visit("model", c.model);
  visit("constructed", c.constructed);
  visit("training", c.training);
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

constexpr std::array kTaskKinds = {"words", "hops", "relation"};

class Writer {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    json_[name] = written(value);
  }
  template <class T>
  static OrderedJson written(T& value) {
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [meaning, word] : words(value))
        if (meaning == value) return word;
      throw std::logic_error("an enumeration without a word");
    } else if constexpr (IsOptional<T>::value) {
      return value ? OrderedJson(written(*value)) : OrderedJson();
    } else if constexpr (std::same_as<T, TaskConfig>) {
      OrderedJson json = {{"kind", kTaskKinds[value.index()]}};
      std::visit([&](auto& task) { json.update(written(task)); }, value);
      return json;
    } else if constexpr (requires(Writer & w) { fields(value, w); }) {
      Writer group;
      fields(value, group);
      return group.json_;
    } else {
      return value;
    }
  }

 private:
  OrderedJson json_ = OrderedJson::object();
};

class Reader {
 public:
  Reader(const Json& json, std::string path, const std::string& source)
      : json_(json), path_(std::move(path)), source_(source) {
    if (!json.is_object()) fail(path_.empty() ? "the configuration" : path_, "an object", json);
  }

  template <class T>
  void operator()(const char* name, T& value) {
    known_.push_back(name);
    const auto found = json_.find(name);
    if (found != json_.end()) read(*found, path_.empty() ? name : path_ + "." + name, value);
  }

  void refuse_unknown() const {
    for (const auto& item : json_.items()) {
      bool known = false;
      std::string list;
      for (const std::string& name : known_) {
        known |= name == item.key();
        list += (list.empty() ? "" : ", ") + name;
      }
      if (!known)
        throw InputError(source_ + ": unknown setting '" + (path_.empty() ? "" : path_ + ".") +
                         item.key() + "', expected one of " + list);
    }
  }

  template <class T>
  void group(T& value) {
    fields(value, *this);
    refuse_unknown();
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& expected,
                         const Json& found) const {
    throw InputError(source_ + ": " + path + ": expected " + expected + ", found " + found.dump());
  }

  template <class T>
  void read(const Json& json, const std::string& path, T& value) const {
    if constexpr (std::is_enum_v<T>) {
      std::string list;
      for (const auto& [meaning, word] : words(value)) {
        if (json == word) {
          value = meaning;
          return;
        }
        list += (list.empty() ? "" : ", ") + std::string(word);
      }
      fail(path, "one of " + list, json);
    } else if constexpr (IsOptional<T>::value) {
      if (json.is_null()) {
        value.reset();
      } else {
        read(json, path, value ? *value : value.emplace());
      }
    } else if constexpr (IsVector<T>::value) {
      if (!json.is_array()) fail(path, "a list", json);
      value.clear();
      for (const Json& item : json) read(item, path, value.emplace_back());
    } else if constexpr (std::same_as<T, TaskConfig>) {
      read_task(json, path, value);
    } else if constexpr (std::same_as<T, bool>) {
      if (!json.is_boolean()) fail(path, "true or false", json);
      value = json.get<bool>();
    } else if constexpr (std::same_as<T, std::string>) {
      if (!json.is_string()) fail(path, "a string", json);
      value = json.get<std::string>();
    } else if constexpr (std::unsigned_integral<T>) {
      // Half of the 32 bits, so that sums of two settings stay in range.
      constexpr std::uint64_t most = sizeof(T) == 4 ? 1u << 31 : std::uint64_t{1} << 53;
      if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most)
        fail(path, "a whole number from 0 to " + std::to_string(most), json);
      value = json.get<T>();
    } else if constexpr (std::floating_point<T>) {
      if (!json.is_number() || !std::isfinite(json.get<double>())) fail(path, "a number", json);
      value = json.get<T>();
    } else {
      Reader(json, path, source_).group(value);
    }
  }

  void read_task(const Json& json, const std::string& path, TaskConfig& value) const {
    if (!json.is_object()) fail(path, "an object", json);
    std::string kind = kTaskKinds[value.index()];
    if (json.contains("kind")) read(json["kind"], path + ".kind", kind);
    if (kind != kTaskKinds[value.index()]) {
      if (kind == kTaskKinds[0]) {
        value = WordTaskConfig();
      } else if (kind == kTaskKinds[1]) {
        value = HopTaskConfig();
      } else if (kind == kTaskKinds[2]) {
        value = RelationTaskConfig();
      } else {
        fail(path + ".kind", "one of words, hops, relation", json["kind"]);
      }
    }
    Reader reader(json, path, source_);
    reader.known_.push_back("kind");
    std::visit([&](auto& task) { reader.group(task); }, value);
  }

  const Json& json_;
  std::string path_;
  const std::string& source_;
  std::vector<std::string> known_;
};

void require(bool holds, const std::string& sentence) {
  if (!holds) throw InputError(sentence);
}

}  // namespace

nlohmann::ordered_json to_json(const RunConfig& config) {
  RunConfig copy = config;  // the list of fields serves readers too
  return Writer::written(copy);
}

RunConfig run_config_from_json(const nlohmann::json& json, const std::string& source) {
  RunConfig config;
  Reader(json, "", source).group(config);
  return config;
}

void set_by_path(RunConfig& config, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  require(equals != std::string::npos && equals > 0,
          "--set: expected NAME=VALUE as in model.width=128, found '" + assignment + "'");
  const std::string text = assignment.substr(equals + 1);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;  // a word
  std::string path = assignment.substr(0, equals);
  Json change;
  for (std::size_t dot = path.rfind('.'); dot != std::string::npos; dot = path.rfind('.')) {
    value = Json{{path.substr(dot + 1), std::move(value)}};
    path.resize(dot);
  }
  change[path] = std::move(value);
  Reader(change, "", "--set").group(config);
}

bool continues(const RunConfig& before, const RunConfig& after) {
  const auto without_budget = [](const RunConfig& config) {
    OrderedJson json = to_json(config);
    json["training"].erase("seconds");
    if (config.training.schedule == TrainingConfig::Schedule::constant)
      json["training"].erase("steps");
    return json;
  };
  return without_budget(before) == without_budget(after);
}

void validate(const RunConfig& config) {
  const ModelConfig& m = config.model;
  require(m.width > 0 && m.heads > 0 && m.width % m.heads == 0,
          "model.heads: expected a divisor of model.width = " + std::to_string(m.width) +
              ", found " + std::to_string(m.heads));
  require(m.hidden > 0, "model.hidden: expected at least 1");
  require(m.initial + m.repeated + m.final > 0, "model: expected at least one layer");
  require(m.width <= 8192 && m.hidden <= 65536 && m.initial + m.repeated + m.final <= 512,
          "model: expected a width up to 8192, hidden up to 65536 and at most 512 layers");
  const double layers = m.initial + m.repeated + m.final, width = m.width;
  if (const double count = layers * width * (4 * width + 3.0 * m.hidden); count > kMostParameters)
    throw SizeLimit("the model has up to " + std::to_string(count / 1e9) +
                    " thousand million parameters, expected at most 4: choose a smaller "
                    "model.width, model.hidden or depth");
  constexpr std::uint32_t kMostLoops = 65536;
  require(m.loops.least <= kMostLoops && m.loops.most <= kMostLoops,
          "model.loops: expected at most " + std::to_string(kMostLoops));
  if (const auto* hops = std::get_if<HopTaskConfig>(&config.task))
    for (const std::uint32_t loops : hops->test_loops)
      require(loops <= kMostLoops,
              "task.test_loops: expected at most " + std::to_string(kMostLoops));
  require(m.embedding_deviation >= 0 && m.embedding_deviation <= 1000,
          "model.embedding_deviation: expected 0 to 1000");
  require(m.repeated == 0 || m.loops.least > 0, "model.loops.least: expected at least 1");
  require(m.loops.kind != LoopRule::Kind::range || m.loops.most >= m.loops.least,
          "model.loops.most: expected at least model.loops.least");
  const bool loop_part = m.gate != ModelConfig::Gate::none ||
                         m.step_embedding != ModelConfig::StepEmbedding::none ||
                         m.injection != ModelConfig::Injection::none ||
                         m.discretiser != ModelConfig::Discretiser::none || m.corruption > 0 ||
                         m.halting != ModelConfig::Halting::budget;
  require(
      m.repeated > 0 || !loop_part,
      "model: gate, step_embedding, injection, discretiser, corruption and halting are parts of "
      "the loop, expected model.repeated of at least 1");
  require(m.discretiser == ModelConfig::Discretiser::none || m.codes > 1,
          "model.codes: expected at least 2 for a discretiser");
  require(m.positions != ModelConfig::Positions::rotary || m.width / m.heads % 2 == 0,
          "model.positions: rotary needs an even width per head");
  require(m.corruption >= 0 && m.corruption <= 1, "model.corruption: expected 0 to 1");
  if (const auto& constructed = config.constructed) {
    RunConfig plain;
    plain.model = m;
    require(to_json(plain)["model"] == to_json(RunConfig())["model"],
            "constructed: the model is the weights file, expected no settings of model");
    require(!constructed->weights.empty(), "constructed.weights: expected a weights file");
    require(constructed->temperature > 0, "constructed.temperature: expected more than 0");
    require(constructed->tolerance >= 0 && constructed->tolerance < 1,
            "constructed.tolerance: expected 0 up to, not including, 1");
    require(std::holds_alternative<WordTaskConfig>(config.task),
            "constructed: expected a task of words");
  }
  const TrainingConfig& t = config.training;
  require(t.learning_rate > 0 && t.learning_rate <= 1000,
          "training.learning_rate: expected more than 0, at most 1000");
  require(t.steps > 0, "training.steps: expected at least 1");
  require(t.floor >= 0 && t.floor <= 1, "training.floor: expected 0 to 1");
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
          "training.supervision: mean-steps expects model.repeated of at least 1");
}

}  // namespace logdepth
