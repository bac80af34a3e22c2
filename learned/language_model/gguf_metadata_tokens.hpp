#pragma once

#include "learned/language_model/gguf_file.hpp"
#include "learned/language_model/gguf_tokens.hpp"

namespace logdepth::inline learned_language_model {

/// Whether the metadata hold a tokeniser.
bool has_gguf_tokens(const GgufFile& gguf);
/// The keys `tokenizer.ggml.*` of the metadata. Errors: InputError naming the file and the key that
/// is missing or of another type.
GgufTokens gguf_tokens(const GgufFile& gguf);

}  // namespace logdepth::inline learned_language_model
