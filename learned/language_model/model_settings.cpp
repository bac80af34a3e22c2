#include "learned/language_model/model_settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/quoted_text.hpp"
#include "learned/language_model/setting_fields.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_language_model {
namespace {

using Json = nlohmann::json;

// The same as those of models that are trained (validate of a RunConfig).
constexpr std::uint32_t kMostWidth = 8192, kMostHidden = 65536;
constexpr std::uint32_t kMostContext = 1U << 30;

/// The keys of one format for what all of them say.
struct SettingKeys {
  const char *layers, *width, *hidden, *heads, *key_value_heads, *epsilon, *context, *vocabulary;
};
constexpr SettingKeys kConfigKeys = {
    "num_hidden_layers",   "hidden_size",  "intermediate_size",       "num_attention_heads",
    "num_key_value_heads", "rms_norm_eps", "max_position_embeddings", "vocab_size"};
constexpr SettingKeys kGgufKeys = {"llama.block_count",
                                   "llama.embedding_length",
                                   "llama.feed_forward_length",
                                   "llama.attention.head_count",
                                   "llama.attention.head_count_kv",
                                   "llama.attention.layer_norm_rms_epsilon",
                                   "llama.context_length",
                                   "llama.vocab_size"};

LanguageModelSettings common_settings(const SettingFields& in, const SettingKeys& keys) {
  LanguageModelSettings settings;
  ModelConfig& model = settings.model;
  model.repeated = 0;
  model.initial = in.whole(keys.layers, kMostModelLayers);
  model.width = in.whole(keys.width, kMostWidth);
  model.hidden = in.whole(keys.hidden, kMostHidden);
  model.heads = in.whole(keys.heads, kMostWidth);
  if (model.width % model.heads != 0 || model.width / model.heads % 2 != 0)
    in.refuse(keys.heads,
              fmt::format("heads of an even width that together are {} wide", model.width));
  model.key_value_heads = in.whole_if_any(keys.key_value_heads, kMostWidth).value_or(model.heads);
  if (model.heads % model.key_value_heads != 0)
    in.refuse(keys.key_value_heads, fmt::format("a divisor of the {} heads", model.heads));
  model.norm_epsilon = in.number(keys.epsilon);
  if (model.norm_epsilon > 1) in.refuse(keys.epsilon, "at most 1");
  settings.context = in.whole(keys.context, kMostContext);
  settings.vocabulary = in.whole_if_any(keys.vocabulary, kMostVocabulary);
  model.position_rows = std::min(settings.context, 1U << 20);
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.activation = ModelConfig::Activation::swiglu;
  model.bias = false;
  model.positions = ModelConfig::Positions::rotary;
  model.readout_bias = false;
  return settings;
}

void take_rotary_base(ModelConfig& model, const SettingFields& in, const std::string& key) {
  if (const auto base = in.number_if_any(key)) model.rotary_base = *base;
  if (!(model.rotary_base > 1)) in.refuse(key, "more than 1");
}

/// Rotary angles are a base and nothing more. Newer files keep both in `rope_parameters`, and some
/// files have the base twice: then it is the same.
void read_rotary(ModelConfig& model, const SettingFields& in) {
  std::string from;  // the key that the base was read from
  const auto take = [&](const SettingFields& fields, const std::string& path) {
    if (!fields.has("rope_theta")) return;
    const double known = model.rotary_base;
    take_rotary_base(model, fields, "rope_theta");
    if (!from.empty() && model.rotary_base != known)
      fields.refuse("rope_theta", fmt::format("{}, as in {}", known, from));
    from = path;
  };
  take(in, "rope_theta");
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    if (!in.has(key)) continue;
    if (!in.at(key).is_object()) in.refuse(key, "an object");
    const SettingFields inner(in.at(key), in.file() + ": " + key);
    for (const char* type : {"rope_type", "type"})
      inner.expect_only(type, {"default"}, "\"default\", rotary angles without scaling");
    for (const auto& [name, value] : in.at(key).items())
      if (name != "rope_type" && name != "type" && name != "rope_theta" &&
          name != "partial_rotary_factor")
        in.refuse(key, "rotary angles without scaling");
    inner.expect_only("partial_rotary_factor", {1}, "1, all channels of a head turn");
    take(inner, std::string(key) + ".rope_theta");
  }
  if (!(model.rotary_base > 1)) in.refuse("rope_theta", "more than 1");
}

Json as_json(const GgufArray& array) {
  return std::visit(
      [](const auto& list) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(list)>, std::vector<GgufValue>>)
          return Json::array();
        else
          return list;
      },
      array);
}

Json as_json(const GgufValue& value) {
  return std::visit(
      [](const auto& one) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, GgufArray>)
          return as_json(one);
        else
          return one;
      },
      value.value);
}

}  // namespace

LanguageModelSettings read_config_json(const std::string& file) {
  Json json = Json::parse(read_json_file(file), nullptr, false);
  if (!json.is_object())
    throw InputError(file + ": expected the settings of a model, a JSON object");
  const SettingFields in(std::move(json), file);
  const std::string architecture = in.word("model_type");
  if (architecture != "llama" && architecture != "olmo2")
    in.refuse("model_type", "an architecture of llama or olmo2");
  in.expect_only("attention_bias", {false}, "false, attention without biases");
  in.expect_only("mlp_bias", {false}, "false, feed-forward layers without biases");
  in.expect_only("sliding_window", {}, "null, attention without a sliding window");
  in.expect_only("use_sliding_window", {false}, "false, attention without a sliding window");
  in.expect_only("rope_interleaved", {false}, "false, channels that turn by halves");
  in.expect_only("partial_rotary_factor", {1}, "1, all channels of a head turn");
  in.expect_only("quantization_config", {}, "null, numbers that are F32, F16 or BF16");
  in.expect_only("clip_qkv", {}, "null, queries, keys and values as they are");
  if (in.word("hidden_act") != "silu") in.refuse("hidden_act", "the activation \"silu\"");
  if (in.has("layer_types")) {
    if (!in.at("layer_types").is_array()) in.refuse("layer_types", "a list");
    for (const Json& type : in.at("layer_types"))
      if (type != "full_attention") in.refuse("layer_types", "\"full_attention\" of every layer");
  }
  LanguageModelSettings settings = common_settings(in, kConfigKeys);
  settings.architecture = architecture;
  ModelConfig& model = settings.model;
  in.whole(kConfigKeys.vocabulary, kMostVocabulary);  // no default
  if (const auto width = in.whole_if_any("head_dim", kMostWidth);
      width && *width != model.width / model.heads)
    in.refuse("head_dim",
              fmt::format("{}, hidden_size by num_attention_heads", model.width / model.heads));
  settings.tied = in.flag_if_any("tie_word_embeddings");
  read_rotary(model, in);
  if (in.has("dtype") && in.has("torch_dtype") && in.at("dtype") != in.at("torch_dtype"))
    in.refuse("dtype", in.at("torch_dtype").dump() + ", as in torch_dtype");
  if (architecture == "olmo2") {
    model.norm_place = ModelConfig::NormPlace::after;
    model.query_key_norm = true;
    model.query_key_norm_over = ModelConfig::NormOver::all_heads;
  }
  return settings;
}

nlohmann::ordered_json to_config_json(const LanguageModelSettings& settings) {
  const ModelConfig& model = settings.model;
  const bool llama = settings.architecture == "llama";
  nlohmann::ordered_json json = {
      {"architectures", {llama ? "LlamaForCausalLM" : "Olmo2ForCausalLM"}},
      {"model_type", settings.architecture},
      {kConfigKeys.layers, model.initial},
      {kConfigKeys.width, model.width},
      {kConfigKeys.hidden, model.hidden},
      {kConfigKeys.heads, model.heads},
      {kConfigKeys.key_value_heads, model.key_value_heads ? model.key_value_heads : model.heads},
      {kConfigKeys.epsilon, model.norm_epsilon},
      {kConfigKeys.context, settings.context},
      {kConfigKeys.vocabulary, settings.vocabulary.value()},
      {"hidden_act", "silu"},
      {"attention_bias", false},
      {"rope_theta", model.rotary_base},
      {"rope_scaling", nullptr},
      {"tie_word_embeddings", settings.tied.value()},
      {"torch_dtype", "float32"}};
  if (llama) json["mlp_bias"] = false;
  return json;
}

LanguageModelSettings settings_of(const GgufFile& gguf) {
  Json json = Json::object();
  for (const auto& [key, value] : gguf.metadata)
    if (key == "general.architecture" || key.starts_with("llama.")) json[key] = as_json(value);
  // Each of these is read or compared below; others may change what the model computes.
  std::set<std::string> known = {"general.architecture", "llama.rope.freq_base",
                                 "llama.rope.scaling.original_context_length",
                                 "llama.rope.scaling.finetuned"};
  for (const char* key :
       {kGgufKeys.layers, kGgufKeys.width, kGgufKeys.hidden, kGgufKeys.heads,
        kGgufKeys.key_value_heads, kGgufKeys.epsilon, kGgufKeys.context, kGgufKeys.vocabulary})
    known.insert(key);
  const SettingFields in(json, gguf.file->path());
  if (in.word("general.architecture") != "llama")
    in.refuse("general.architecture", "the architecture llama");
  LanguageModelSettings settings = common_settings(in, kGgufKeys);
  settings.architecture = "llama";
  ModelConfig& model = settings.model;
  const auto expect_only = [&](const std::string& key, const std::vector<Json>& allowed,
                               const std::string& why) {
    in.expect_only(key, allowed, why);
    known.insert(key);
  };
  const Json head_width = model.width / model.heads;
  expect_only("llama.rope.dimension_count", {head_width}, "all channels of a head turn");
  expect_only("llama.attention.key_length", {head_width},
              "heads that together are as wide as the "
              "model");
  expect_only("llama.attention.value_length", {head_width},
              "heads that together are as wide as the model");
  expect_only("llama.rope.scaling.type", {"none"}, "\"none\", rotary angles without scaling");
  expect_only("llama.rope.scaling.factor", {1}, "1, rotary angles without scaling");
  expect_only("llama.rope.scale_linear", {1}, "1, rotary angles without scaling");
  expect_only("llama.attention.causal", {true}, "true, tokens that attend to those before them");
  expect_only("llama.expert_count", {0}, "0, one feed-forward layer in every block");
  expect_only("llama.expert_used_count", {0}, "0, one feed-forward layer in every block");
  expect_only("llama.use_parallel_residual", {false}, "false, sublayers one after the other");
  expect_only("llama.attention.sliding_window", {0}, "0, attention without a sliding window");
  for (const auto& [key, value] : json.items())
    if (!known.contains(key)) in.refuse(printable(key), "settings that this reader knows");
  take_rotary_base(model, in, "llama.rope.freq_base");
  model.rotary_pairs = ModelConfig::RotaryPairs::neighbours;
  return settings;
}

LanguageModelSettings settings_of(const RunConfig& run, const std::string& file) {
  const ModelConfig& model = run.model;
  const auto require = [&](bool holds, const char* expected) {
    if (!holds) throw InputError(file + ": expected a run of a language model, " + expected);
  };
  require(run.task->text_tokens().has_value(), "a task of text");
  require(!run.constructed && !run.network, "a model of its own kind");
  require(model.norm == ModelConfig::NormKind::rmsnorm && model.final_norm, "model.norm rmsnorm");
  require(model.activation == ModelConfig::Activation::swiglu, "model.activation swiglu");
  require(!model.bias, "model.bias false");
  require(!model.layer_scale, "no model.layer_scale");
  require(model.positions == ModelConfig::Positions::rotary, "model.positions rotary");
  require(model.gate == ModelConfig::Gate::none &&
              model.step_embedding == ModelConfig::StepEmbedding::none,
          "model.gate and model.step_embedding none");
  return {"logdepth", model, std::nullopt, model.position_rows, model.tied_readout};
}

}  // namespace logdepth::inline learned_language_model
