#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/language_model/tokeniser.hpp"

namespace logdepth {

/// A vocabulary of byte pairs over bytes (that of GPT-2 and its heirs). A text is split by the
/// patterns, the bytes of every piece are single tokens, and of all neighbours the pair that stands
/// first in `merges` becomes one token until no pair is left.
struct BytePairs {
  /// A token that is not made of merges: its string stands for itself.
  struct Added {
    std::int32_t token = 0;
    bool special = true;  ///< recognised in a text on request only; others always

    bool operator==(const Added&) const = default;
  };

  std::string source;  ///< in messages: the file
  /// By number; bytes in the alphabet of byte_alphabet.hpp, added tokens as they are.
  std::vector<std::string> tokens;
  std::vector<std::pair<std::string, std::string>> merges;  ///< the first is done first
  /// PCRE2; each splits the pieces that the one before left, into its matches and what is between
  /// them.
  std::vector<std::string> patterns;
  std::vector<Added> added;
  std::optional<std::int32_t> begin, end;
  bool whole_pieces = false;  ///< a piece that is a token stays one, whatever the merges say
  bool composed = false;      ///< the model knows composed characters (NFC) only
};

/// Any bytes come back as they were; where `composed`, a text that may not be in NFC is refused.
/// Errors: InputError "SOURCE: expected ..., found ..." when a merge, a pattern, an added token or
/// the tokens of single bytes do not fit.
std::shared_ptr<const Tokeniser> byte_pair_tokeniser(BytePairs vocabulary);

/// What the tokeniser was made of; nothing when it is of another kind.
const BytePairs* byte_pairs_of(const Tokeniser& tokeniser);

}  // namespace logdepth
