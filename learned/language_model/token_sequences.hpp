#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_language_model {

/// The tokens of a text. Errors: those of Tokeniser::encode, which begin with the `source`.
std::vector<std::int32_t> tokens_of(const std::string& text, const Tokeniser& tokeniser,
                                    const std::string& source,
                                    SpecialTokens special = SpecialTokens::as_text);

/// Sequences of `length` tokens each, at most `most` of them: paragraphs of the text, as many in a
/// row with a blank line between them as it takes to fill a sequence, cut into as many as they fill;
/// the next begins with the next paragraph. The token that begins a text, where there is one, is the
/// first of each. `text`: a file or a folder, as text_paragraphs has it. Errors: InputError where
/// there are fewer than two sequences, or the tokens cannot write the text. Precondition: length of
/// at least 2.
std::vector<std::vector<std::int32_t>> token_sequences(const std::string& text,
                                                       const Tokeniser& tokeniser, std::size_t most,
                                                       std::size_t length);

}  // namespace logdepth::inline learned_language_model
