#include "learned/core/language_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_core {
namespace {

/// Settings of a model that are free: how layers are laid out, and what has no part in it.
constexpr std::array kFreeSettings = {
    "initial",   "repeated",      "final",        "loops",
    "router",    "position_rows", "max_distance", "embedding_deviation",
    "gate_bias", "step_scale",    "step_rows",    "trained_steps"};

/// The settings with one spelling for what computes the same.
nlohmann::ordered_json settings_of(ModelConfig config) {
  if (config.key_value_heads == 0) config.key_value_heads = config.heads;
  if (!config.query_key_norm) config.query_key_norm_over = ModelConfig::NormOver::head;
  RunConfig run;
  run.model = config;
  return to_json(run).at("model");
}

void expect_settings(const ModelConfig& config, const LanguageModelFile& file) {
  const nlohmann::ordered_json asked = settings_of(config), known = settings_of(file.model());
  for (const auto& [name, value] : known.items()) {
    if (std::find(kFreeSettings.begin(), kFreeSettings.end(), name) != kFreeSettings.end())
      continue;
    if (asked.at(name) != value)
      throw InputError(
          fmt::format("{}: expected model.{} = {} as this language model has it, "
                      "found {}",
                      file.path(), name, value.dump(), asked.at(name).dump()));
  }
}

std::vector<std::string> layer_names(const ModelConfig& config) {
  std::vector<std::string> names;
  const auto add = [&](const char* part, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) names.push_back(fmt::format("{}.{}", part, i));
  };
  add("initial", config.initial);
  add("repeated", config.repeated);
  add("final", config.final);
  return names;
}

/// The layer of the file that each layer begins as.
std::vector<std::uint32_t> chosen_layers(const std::vector<std::uint32_t>& asked,
                                         std::size_t needed, const LanguageModelFile& file) {
  const ModelConfig& model = file.model();
  const std::uint32_t there = model.layers();
  if (asked.empty()) {
    if (there != needed)
      throw InputError(fmt::format(
          "{}: expected a language model of {} layers, the initial, repeated and final ones of "
          "the model, or initial_layers with the layers to take, found {}",
          file.path(), needed, there));
    std::vector<std::uint32_t> all(needed);
    for (std::uint32_t i = 0; i < there; ++i) all[i] = i;
    return all;
  }
  if (asked.size() != needed)
    throw InputError(
        fmt::format("initial_layers: expected a layer for each of the {} of the model, found {}",
                    needed, asked.size()));
  for (const std::uint32_t layer : asked)
    if (layer >= there)
      throw InputError(fmt::format("initial_layers: expected layers of {}, 0 to {}, found {}",
                                   file.path(), there - 1, layer));
  return asked;
}

/// "3" and "in.weight" of "layers.3.in.weight".
std::pair<std::uint32_t, std::string> split_layer(std::string_view name) {
  name.remove_prefix(std::string_view("layers.").size());
  const std::size_t dot = name.find('.');
  return {static_cast<std::uint32_t>(std::stoul(std::string(name.substr(0, dot)))),
          std::string(name.substr(dot + 1))};
}

std::string text_of(at::IntArrayRef shape) {
  return shape_text({shape.begin(), shape.end()});
}

/// A parameter of a file, and those of a network that begin as it does.
struct Reading {
  const LanguageModelFile::Parameter* from;
  std::vector<Tensor> into;
};

}  // namespace

TaskFormat language_format(std::uint32_t vocabulary) {
  TaskFormat format;
  format.tables = {vocabulary};
  format.outputs = {vocabulary};
  return format;
}

void load_language_model(Parameters& parameters, const ModelConfig& config,
                         const LanguageModelFile& file, const std::vector<std::uint32_t>& layers) {
  expect_settings(config, file);
  const std::vector<std::string> names = layer_names(config);
  const std::vector<std::uint32_t> chosen = chosen_layers(layers, names.size(), file);
  std::map<std::string, Tensor> open;
  for (const Parameters::Named& parameter : parameters.all())
    open.emplace(parameter.name, parameter.tensor);

  std::vector<Reading> readings;
  for (const LanguageModelFile::Parameter& parameter : file.parameters()) {
    std::vector<std::string> targets;
    if (parameter.name.starts_with("layers.")) {
      const auto [layer, rest] = split_layer(parameter.name);
      for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] == layer) targets.push_back(names[i] + "." + rest);
    } else {
      targets.push_back(parameter.name);
    }
    Reading reading{&parameter, {}};
    for (const std::string& target : targets) {
      const auto found = open.find(target);
      if (found == open.end())
        throw InputError(fmt::format("{}: {}: expected a parameter '{}' of the model, it has none",
                                     file.path(), parameter.name, target));
      if (found->second.sizes() != at::IntArrayRef(parameter.shape))
        throw InputError(fmt::format("{}: {}: expected shape {}, found {}", file.path(),
                                     parameter.name, text_of(found->second.sizes()),
                                     text_of(parameter.shape)));
      reading.into.push_back(found->second);
      open.erase(found);
    }
    if (!reading.into.empty()) readings.push_back(std::move(reading));
  }
  for (const auto& [name, tensor] : open)
    if (!name.starts_with("router."))
      throw InputError(
          fmt::format("{}: expected a language model with a parameter '{}'", file.path(), name));

  const torch::NoGradGuard no_grad;
  for (const Reading& reading : readings) {
    std::vector<float> values = file.values(*reading.from);
    const Tensor read = torch::from_blob(values.data(), reading.from->shape, torch::kFloat32);
    for (Tensor into : reading.into) into.copy_(read);
  }
}

std::unique_ptr<UniversalTransformer> open_language_model(const LanguageModelFile& file,
                                                          torch::Device device, Purpose purpose) {
  file.expect_memory();
  auto model = std::make_unique<UniversalTransformer>(
      file.model(), language_format(file.vocabulary()), 1, device, torch::kFloat32, purpose);
  load_language_model(model->parameters(), file.model(), file, {});
  return model;
}

}  // namespace logdepth::inline learned_core
