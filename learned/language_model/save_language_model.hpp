#pragma once

#include <string>

#include "learned/language_model/model_file.hpp"

namespace logdepth::inline learned_language_model {

/// Writes config.json, model.safetensors (F32) and, where the model brings tokens, tokenizer.json
/// and tokenizer_config.json, as Hugging Face's transformers reads them: channels turn by halves,
/// loops are unrolled into layers. Errors: InputError where neither `llama` nor `olmo2` can say what
/// the model computes, or the folder is that of the model itself or of a training run.
void save_language_model(const LanguageModelFile& model, const std::string& folder);

}  // namespace logdepth::inline learned_language_model
