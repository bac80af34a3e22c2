#pragma once

#include <memory>
#include <string>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_language_model {

/// A `tokenizer.json` of Hugging Face's tokenizers: BPE over bytes, or a WordLevel list as
/// to_tokenizer_json writes it. The token that begins a text is what the file's post-processor puts
/// there; the one that ends it is `eos_token` of `tokenizer_config.json` beside the file, where
/// there is one. Errors: InputError naming the file, what it has, and what is read.
std::shared_ptr<const Tokeniser> read_tokenizer_json(const std::string& file);

/// The tokeniser as such a file: the Python library reads it and gives the same tokens.
std::string to_tokenizer_json(const Tokeniser& tokeniser);
/// What stands beside it in `tokenizer_config.json`: class and tokens at the ends, for transformers.
std::string to_tokenizer_config(const Tokeniser& tokeniser);

}  // namespace logdepth::inline learned_language_model
