#include "learned/language_model/initial_weights.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "learned/language_model/model_file.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {

bool is_language_model(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return true;
  std::array<char, 4> first{};
  std::ifstream(path, std::ios::binary).read(first.data(), first.size());
  return std::string_view(first.data(), first.size()) == "GGUF";
}

void check_initial_weights(const RunConfig& config, ModelUse use) {
  const std::string& path = config.initial_weights;
  if (path.empty()) return;
  if (is_language_model(path)) {
    const LanguageModelFile file(path);
    if (use != ModelUse::named) file.expect_memory(use == ModelUse::trained ? 4 : 1);
    return;
  }
  if (!std::filesystem::is_regular_file(path))
    throw InputError(path + ": expected a file of weights, or a language model, to begin with");
  if (!config.initial_layers.empty())
    throw InputError("initial_layers: expected a language model as initial_weights, found " + path);
}

}  // namespace logdepth::inline learned_language_model
