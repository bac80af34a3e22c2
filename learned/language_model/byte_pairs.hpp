#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth::inline learned_language_model {

/// Stands for a blank in vocabularies over characters.
inline constexpr const char* kBlankCharacter = "\u2581";

/// A vocabulary of byte pairs over bytes (that of GPT-2 and its heirs). A text is split by the
/// patterns, the bytes of every piece are single tokens, and of all neighbours the pair that stands
/// first in `merges` becomes one token until no pair is left.
///
/// Or over characters, as SentencePiece has them (Llama 2 and its heirs): a blank is "▁", one more
/// stands before the text and behind every recognised token, a character without a token is those of
/// its bytes ("<0x41>"), and the whole text is one piece. "▁" itself comes back as a blank.
struct BytePairs {
  enum class Units { bytes, characters };
  /// A token that is not made of merges: its string stands for itself.
  struct Added {
    std::int32_t token = 0;
    bool special = true;  ///< recognised in a text on request only; others always

    bool operator==(const Added&) const = default;
  };

  std::string source;  ///< in messages: the file
  Units units = Units::bytes;
  /// By number; bytes in the alphabet of byte_alphabet.hpp, characters and added tokens as they are.
  std::vector<std::string> tokens;
  std::vector<std::pair<std::string, std::string>> merges;  ///< the first is done first
  /// Of bytes. PCRE2; each splits the pieces that the one before left, into its matches and what is
  /// between them.
  std::vector<std::string> patterns;
  std::vector<Added> added;
  std::optional<std::int32_t> begin, end;
  bool whole_pieces = false;  ///< a piece that is a token stays one, whatever the merges say
  bool composed = false;      ///< the model knows composed characters (NFC) only
};

/// Texts come back byte by byte, UTF-8 or not. Over bytes, refused (InputError of encode) is a text
/// with a byte that has no token (a few control characters in some vocabularies), and, where
/// `composed`, one that may not be in NFC. Errors: InputError "SOURCE: expected ..., found ..." when
/// merges, patterns or added tokens do not fit the tokens.
std::shared_ptr<const Tokeniser> byte_pair_tokeniser(BytePairs vocabulary);

/// What the tokeniser was made of; nothing when it is of another kind.
const BytePairs* byte_pairs_of(const Tokeniser& tokeniser);

}  // namespace logdepth::inline learned_language_model
