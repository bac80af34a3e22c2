#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace logdepth::inline learned_language_model {

/// What is to be computed with a language model that is not trained: handed as one JSON object to
/// the program that has libtorch.
struct ModelRequest {
  enum class Ask {
    text,     ///< the loss per token of the text, the greedy continuation of the prompt
    angular,  ///< how far each layer turns the residual stream of the last token
    loops     ///< the loss per token with blocks of layers looped
  };
  Ask ask = Ask::text;
  std::string model;                            ///< a GGUF file or a folder
  std::string text;                             ///< a file or a folder; empty: none
  std::uint32_t sequences = 100;                ///< of the text, at most
  std::uint32_t length = 96;                    ///< tokens of each
  std::string prompt;                           ///< empty: none
  std::uint32_t tokens = 20;                    ///< to go on with
  std::vector<std::uint32_t> blocks = {4, 10};  ///< numbers of layers
  std::vector<std::uint32_t> loops = {2, 3};    ///< numbers of passes
};

nlohmann::ordered_json to_json(const ModelRequest& request);
/// What is missing keeps its default. Errors: InputError naming the setting and what was expected.
ModelRequest model_request_from_json(const nlohmann::json& json, const std::string& source);

}  // namespace logdepth::inline learned_language_model
