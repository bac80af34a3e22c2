#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline learned_language_model {

/// What the name of a special token means where a text holds it, as "<|im_start|>" in a prompt.
enum class SpecialTokens {
  as_text,    ///< characters like others: no text can smuggle in the end of a text
  recognised  ///< the token: for prompts that a user writes in the form of a chat
};

/// Text as the tokens of a language model, and back.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  /// The tokens of the text, without those of begin() and end(). Errors: InputError when the text
  /// cannot be written in these tokens.
  virtual std::vector<std::int32_t> encode(std::string_view text, SpecialTokens special) const = 0;
  std::vector<std::int32_t> encode(std::string_view text) const {
    return encode(text, SpecialTokens::as_text);
  }
  /// The tokens of a text that stands right behind another one. Errors as of encode.
  virtual std::vector<std::int32_t> encode_behind(std::string_view text) const {
    return encode(text);
  }
  /// The bytes that the tokens stand for; those of a text's tokens are the text. Errors:
  /// InputError when one is not among size().
  virtual std::string decode(std::span<const std::int32_t> tokens) const = 0;
  /// The bytes of tokens that stand right behind others. Errors as of decode.
  virtual std::string decode_behind(std::span<const std::int32_t> tokens) const {
    return decode(tokens);
  }
  /// Tokens are 0 ... size() - 1.
  virtual std::uint32_t size() const = 0;
  /// Stands before every text, where the model wants such a token.
  virtual std::optional<std::int32_t> begin() const = 0;
  /// Ends a text, where the vocabulary has such a token.
  virtual std::optional<std::int32_t> end() const = 0;

 protected:
  /// Errors: InputError when the token is not among size().
  std::size_t index_of(std::int32_t token) const;
};

}  // namespace logdepth::inline learned_language_model
