#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_relit {

/// All words of the generated texts: theories, questions, pairs of sentences, answers. Word 0 ends
/// a text.
const std::vector<std::string>& relit_words();

/// What texts are read in.
struct RelitTokens {
  std::shared_ptr<const Tokeniser> tokeniser;
  std::uint32_t vocabulary = 0;  ///< rows of the embedding, which may be more than the tokens
  std::uint32_t context = 0;     ///< tokens that a text may have; 0: any number
  std::string name;              ///< for messages

  /// The tokens of a prompt, with the one that begins a text where the model wants one. Errors:
  /// InputError when it is longer than the context, or cannot be written in these tokens.
  std::vector<std::int32_t> prompt(const std::string& text) const;
  /// The token of an answer behind a prompt. Errors: InputError when it is not one token.
  std::int32_t answer(const std::string& word) const;
};

/// The tokens of a language model's file or folder; the own words where it is empty.
RelitTokens relit_tokens(const std::string& model);

}  // namespace logdepth::inline learned_relit
