#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_language_model {

/// Word 0 of every list: ends a text.
inline constexpr const char* kEndWord = "<end>";

/// A word is a token, and the list is the vocabulary: for corpora whose words are all known. Texts
/// are split at white space (of Unicode) and joined by one space. No token begins a text.
class WordTokeniser : public Tokeniser {
 public:
  /// Errors: InputError when word 0 is not "<end>", or a word is empty, twice in the list, not
  /// UTF-8, or has white space in it. `source` stands in messages: the file of the list.
  explicit WordTokeniser(std::vector<std::string> words,
                         const std::string& source = "a list of words");

  using Tokeniser::encode;
  /// "<end>" is word 0 wherever it stands. Errors: InputError naming the word that is not in the
  /// list.
  std::vector<std::int32_t> encode(std::string_view text, SpecialTokens special) const override;
  std::string decode(std::span<const std::int32_t> tokens) const override;
  std::uint32_t size() const override { return static_cast<std::uint32_t>(words_.size()); }
  std::optional<std::int32_t> begin() const override { return std::nullopt; }
  std::optional<std::int32_t> end() const override { return 0; }

  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

std::shared_ptr<const Tokeniser> word_tokeniser(std::vector<std::string> words);

}  // namespace logdepth::inline learned_language_model
