#include "learned/language_model/save_language_model.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <unordered_map>
#include <utility>

#include "learned/language_model/parameter_names.hpp"
#include "learned/language_model/tokenizer_json.hpp"
#include "learned/records/run_record.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/safetensors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_language_model {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

/// Rows of a parameter that become an array of the file.
struct SavedTensor {
  const LanguageModelFile::Parameter* from = nullptr;
  std::uint64_t first_row = 0, rows = 0, row_length = 1;
  std::uint32_t turned_heads = 0;  ///< heads whose neighbouring channels become halves; 0: none
};

/// The settings of the model without loops, in one of the two architectures. Errors: InputError
/// where it is neither.
LanguageModelSettings saved_settings(const LanguageModelFile& file) {
  LanguageModelSettings settings = file.settings();
  ModelConfig& model = settings.model;
  const auto require = [&](bool holds, const char* expected) {
    if (!holds)
      throw InputError(file.path() + ": expected a model that llama or olmo2 can represent, " +
                       expected);
  };
  require(model.repeated == 0 || model.loops.kind == LoopRule::Kind::fixed,
          "with a fixed number of loops");
  const std::uint64_t layers = std::uint64_t{model.initial} + model.final +
                               std::uint64_t{model.repeated} * model.loops.least;
  require(layers <= kMostModelLayers, "with at most 512 layers when its loops are unrolled");
  require(!model.readout_bias, "without model.readout_bias");
  if (model.norm_place == ModelConfig::NormPlace::before) {
    settings.architecture = "llama";
    require(!model.query_key_norm, "without model.query_key_norm where norms come first");
  } else {
    settings.architecture = "olmo2";
    require(model.query_key_norm && model.query_key_norm_over == ModelConfig::NormOver::all_heads,
            "with model.query_key_norm over all heads where norms come last");
  }
  model.initial = static_cast<std::uint32_t>(layers);
  model.repeated = model.final = 0;
  return settings;
}

/// The layer of the model that runs as number `layer` of the layers without loops.
std::uint32_t source_layer(const ModelConfig& model, std::uint32_t layer) {
  if (layer < model.initial || model.repeated == 0) return layer;
  const std::uint32_t looped = model.repeated * model.loops.least;
  if (layer < model.initial + looped)
    return model.initial + (layer - model.initial) % model.repeated;
  return layer - looped + model.repeated;
}

/// "layers.7.in.weight" of the model without loops as the parameter of the model.
std::string source_name(const ModelConfig& model, const std::string& name) {
  constexpr std::string_view kLayers = "layers.";
  if (!name.starts_with(kLayers)) return name;
  const std::size_t dot = name.find('.', kLayers.size());
  const auto layer =
      static_cast<std::uint32_t>(std::stoul(name.substr(kLayers.size(), dot - kLayers.size())));
  return fmt::format("layers.{}{}", source_layer(model, layer), name.substr(dot));
}

/// Every array of the file to be written, by its name.
std::map<std::string, SavedTensor> saved_tensors(const LanguageModelFile& file,
                                                 const LanguageModelSettings& settings) {
  std::unordered_map<std::string, const LanguageModelFile::Parameter*> parameters;
  for (const auto& parameter : file.parameters()) parameters.emplace(parameter.name, &parameter);
  const ModelConfig& model = file.model();
  const bool turn = model.rotary_pairs == ModelConfig::RotaryPairs::neighbours;
  const std::uint32_t key_heads = model.key_value_heads ? model.key_value_heads : model.heads;
  std::map<std::string, SavedTensor> saved;
  for (const NamedParameter& named : named_parameters(settings, TensorNames::hugging_face)) {
    std::uint64_t row = 0;
    for (std::size_t part = 0; part < named.parts.size(); ++part) {
      const std::vector<std::uint64_t>& shape = named.parts[part].shape;
      SavedTensor tensor{parameters.at(source_name(model, named.name)), row, shape[0],
                         shape.size() > 1 ? shape[1] : 1, 0};
      const bool attends = named.name.ends_with("query_key_value.weight");
      if (turn && ((attends && part == 0) || named.name.ends_with("query_norm.weight")))
        tensor.turned_heads = model.heads;
      if (turn && ((attends && part == 1) || named.name.ends_with("key_norm.weight")))
        tensor.turned_heads = key_heads;
      saved.emplace(named.parts[part].tensor, tensor);
      row += shape[0];
    }
  }
  return saved;
}

/// Rows 2c and 2c + 1 of each head become c and c + w/2.
std::vector<float> as_halves(const std::vector<float>& rows, std::uint64_t heads,
                             std::uint64_t row_length) {
  std::vector<float> turned(rows.size());
  const std::uint64_t head = rows.size() / row_length / heads;
  for (std::uint64_t row = 0; row < heads * head; ++row) {
    const std::uint64_t channel = row % head;
    const std::uint64_t to = row - channel + channel / 2 + channel % 2 * (head / 2);
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * row_length), row_length,
                turned.begin() + static_cast<std::ptrdiff_t>(to * row_length));
  }
  return turned;
}

std::vector<float> saved_values(const LanguageModelFile& file, const SavedTensor& tensor) {
  std::vector<float> values = file.values(*tensor.from);
  const auto begin = static_cast<std::size_t>(tensor.first_row * tensor.row_length);
  const auto count = static_cast<std::size_t>(tensor.rows * tensor.row_length);
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin));
  values.resize(count);
  return tensor.turned_heads ? as_halves(values, tensor.turned_heads, tensor.row_length) : values;
}

}  // namespace

void save_language_model(const LanguageModelFile& model, const std::string& folder) {
  namespace fs = std::filesystem;
  LanguageModelSettings settings = saved_settings(model);
  std::error_code error;
  if (fs::equivalent(model.path(), folder, error))
    throw InputError(folder + ": expected another folder than that of the model itself");
  if (fs::exists(fs::path(folder) / kRecordFile, error))
    throw InputError(folder + ": expected another folder than that of a training run");
  nlohmann::ordered_json config = to_config_json(settings);
  std::string tokens, tokens_config;
  if (model.has_tokens()) {
    const auto tokeniser = model.tokens();
    tokens = to_tokenizer_json(*tokeniser);
    tokens_config = to_tokenizer_config(*tokeniser);
    if (const auto begin = tokeniser->begin()) config["bos_token_id"] = *begin;
    if (const auto end = tokeniser->end()) config["eos_token_id"] = *end;
  }
  const OutputFolder made(folder);
  const std::map<std::string, SavedTensor> saved = saved_tensors(model, settings);
  SafeTensorsHeader header{{}, {{"format", "pt"}}};  // transformers wants to be told
  for (const auto& [name, tensor] : saved) {
    header.arrays[name] = {"F32", {tensor.rows}, 0, 0};
    if (tensor.from->shape.size() > 1) header.arrays[name].shape.push_back(tensor.row_length);
  }
  std::vector<float> values;
  write_safetensors(
      header,
      [&](const std::string& name) {
        values = saved_values(model, saved.at(name));
        return std::string_view(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(float));
      },
      folder + "/" + kWeightsFile);
  if (!tokens.empty()) {
    write_whole_file(folder + "/tokenizer.json", tokens);
    write_whole_file(folder + "/tokenizer_config.json", tokens_config);
  }
  write_whole_file(folder + "/config.json", config.dump(2) + "\n");
}

}  // namespace logdepth::inline learned_language_model
