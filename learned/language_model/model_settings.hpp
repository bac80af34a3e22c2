#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "learned/language_model/gguf_file.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_language_model {

/// More are refused.
inline constexpr std::uint32_t kMostModelLayers = 512, kMostVocabulary = 1U << 24;

/// What a file of a language model says of its shape. Nothing is guessed: what a format does not
/// say and has no default for is missed, and what this model cannot compute is refused.
struct LanguageModelSettings {
  std::string architecture;  ///< "llama", "olmo2", of runs "logdepth"
  ModelConfig model;         ///< all layers initial; tied_readout as `tied` once it is decided
  std::optional<std::uint32_t> vocabulary;  ///< absent: as the embedding has rows
  std::uint32_t context = 0;                ///< most tokens; also model.position_rows
  std::optional<bool> tied;                 ///< absent: where the file has no readout
};

/// Of a Hugging Face config.json of `llama` or `olmo2`. Errors: InputError naming file and key, for
/// an unknown architecture, scaled rotary angles, biases, sliding windows, another activation.
LanguageModelSettings read_config_json(const std::string& file);
/// The same settings as a config.json. Precondition: all layers are initial, the architecture is
/// one of the two, vocabulary and tied are said.
nlohmann::ordered_json to_config_json(const LanguageModelSettings& settings);

/// Of the metadata of a GGUF file of `llama`. Errors: as above.
LanguageModelSettings settings_of(const GgufFile& gguf);

/// Of the folder of a training run. Errors: InputError where the task has no text, or the model
/// has parts that a language model has not.
LanguageModelSettings settings_of(const RunConfig& run, const std::string& file);

}  // namespace logdepth::inline learned_language_model
