#include "learned/language_model/token_sequences.hpp"

#include <fmt/core.h>

#include "learned/language_model/text_paragraphs.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {

std::vector<std::int32_t> tokens_of(const std::string& text, const Tokeniser& tokeniser,
                                    const std::string& source, SpecialTokens special) {
  try {
    return tokeniser.encode(text, special);
  } catch (const InputError& error) {
    throw InputError(source + ": " + error.what());
  }
}

std::vector<std::vector<std::int32_t>> token_sequences(const std::string& text,
                                                       const Tokeniser& tokeniser, std::size_t most,
                                                       std::size_t length) {
  std::vector<std::int32_t> begin;
  if (const auto token = tokeniser.begin()) begin.push_back(*token);
  const auto fill = static_cast<std::ptrdiff_t>(length - begin.size());
  std::vector<std::vector<std::int32_t>> sequences;
  std::string joined;
  for (const std::string& paragraph : text_paragraphs(text)) {
    joined += (joined.empty() ? "" : "\n\n") + paragraph;
    const std::vector<std::int32_t> tokens = tokens_of(joined, tokeniser, text);
    for (auto at = tokens.begin(); tokens.end() - at >= fill; at += fill) {
      if (sequences.size() == most) return sequences;
      joined.clear();
      sequences.push_back(begin);
      sequences.back().insert(sequences.back().end(), at, at + fill);
    }
  }
  // One alone has no standard error.
  if (sequences.size() < 2)
    throw InputError(fmt::format(
        "{}: expected a text of at least 2 sequences of {} tokens each, found {}; --length sets "
        "the number of tokens of a sequence",
        text, length, sequences.size()));
  return sequences;
}

}  // namespace logdepth::inline learned_language_model
