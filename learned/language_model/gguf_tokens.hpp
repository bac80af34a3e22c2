#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/language_model/byte_pairs.hpp"

namespace logdepth::inline learned_language_model {

/// The keys `tokenizer.ggml.*` of a GGUF file as plain values.
struct GgufTokens {
  std::string file;                 ///< in messages
  std::string model;                ///< "gpt2": byte pairs over bytes
  std::string pre;                  ///< names the patterns: "smollm", "llama-bpe", ...
  std::vector<std::string> tokens;  ///< by number
  std::vector<std::string> merges;  ///< "LEFT RIGHT", the first is done first
  std::vector<std::int32_t>
      types;  ///< of tokens: 1 normal, 3 control, 4 user-defined, ...; or none
  std::optional<std::uint32_t> begin, end;  ///< bos_token_id, eos_token_id
  std::optional<bool> add_begin;            ///< add_bos_token; absent: as `pre` has it
};

/// Errors: InputError naming the file and what it has: a model other than byte pairs, an unknown
/// `pre`, merges that are not two tokens, numbers beyond the tokens.
BytePairs byte_pairs_from(const GgufTokens& stored);

}  // namespace logdepth::inline learned_language_model
