#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace objects {

/// Abstract syntax of a regular expression over single-character letters.
struct Regex {
  enum class Kind {
    empty_set,
    empty_word,
    letters,
    concatenation,
    alternation,
    intersection,
    complement,
    star
  };
  Kind kind = Kind::empty_word;
  std::vector<bool> letters;                        ///< kind letters: membership per Letter
  std::vector<std::shared_ptr<const Regex>> parts;  ///< operands, in order
};

struct ParsedRegex {
  Alphabet alphabet;
  std::shared_ptr<const Regex> root;
};

/// Concatenation, `|`, `*`, `+`, `?`, `{m}`, `{m,}`, `{m,n}`, `.` (any letter), classes `[abc]`,
/// `[a-z]`, `[^ab]`, `()`, escapes `\x`, complement `!r` (binds like a prefix operator, looser than
/// repetition) and intersection `&` (binds looser than concatenation, tighter than `|`).
/// `()` is the empty word. Without `alphabet` the letters are those that occur, in character order.
/// Errors: InputError with the column and what was expected.
ParsedRegex parse_regex(std::string_view text,
                        const std::optional<Alphabet>& alphabet = std::nullopt);

/// Thompson's construction; complements and intersections go through `determinise`.
Nfa to_nfa(const ParsedRegex& regex);

}}  // namespace logdepth::objects
