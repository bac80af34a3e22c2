#include "learned/language_model/words.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_language_model {
namespace {

/// Unicode's White_Space, as the Python library splits at it.
bool white_space(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// Bytes of the character that the text begins with; what is not UTF-8 is one byte.
std::size_t character_length(std::string_view text) {
  return std::max<std::size_t>(utf8_length(text), 1);
}

void refuse_unfit_word(const std::string& word, const std::string& source) {
  if (word.empty()) throw InputError(source + ": expected words that are not empty");
  for (std::string_view rest = word; !rest.empty(); rest.remove_prefix(character_length(rest)))
    if (utf8_length(rest) == 0 || white_space(utf8_decode(rest)))
      throw InputError(fmt::format("{}: expected words in UTF-8 without white space, found {}",
                                   source, in_quotes(word)));
}

}  // namespace

WordTokeniser::WordTokeniser(std::vector<std::string> words, const std::string& source)
    : words_(std::move(words)) {
  if (words_.empty() || words_[0] != kEndWord)
    throw InputError(fmt::format("{}: expected '{}' as word 0, found {}", source, kEndWord,
                                 words_.empty() ? "no word" : in_quotes(words_[0])));
  for (std::size_t i = 0; i < words_.size(); ++i) {
    refuse_unfit_word(words_[i], source);
    if (!numbers_.emplace(words_[i], static_cast<std::int32_t>(i)).second)
      throw InputError(fmt::format("{}: duplicate word {}", source, in_quotes(words_[i])));
  }
}

std::vector<std::int32_t> WordTokeniser::encode(std::string_view text, SpecialTokens) const {
  std::vector<std::int32_t> tokens;
  std::string word;
  const auto finish = [&] {
    if (word.empty()) return;
    const auto found = numbers_.find(word);
    if (found == numbers_.end())
      throw InputError(fmt::format("expected words of a vocabulary of {}, found {}", words_.size(),
                                   in_quotes(word)));
    tokens.push_back(found->second);
    word.clear();
  };
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (white_space(utf8_decode(text)))
      finish();
    else
      word += text.substr(0, length);
    text.remove_prefix(length);
  }
  finish();
  return tokens;
}

std::string WordTokeniser::decode(std::span<const std::int32_t> tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) {
    if (!text.empty()) text += ' ';
    text += words_[index_of(token)];
  }
  return text;
}

std::shared_ptr<const Tokeniser> word_tokeniser(std::vector<std::string> words) {
  return std::make_shared<WordTokeniser>(std::move(words));
}

}  // namespace logdepth::inline learned_language_model
