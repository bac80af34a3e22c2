#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace logdepth::inline learned_language_model {

/// The character that stands for a byte in vocabularies over bytes, as UTF-8: printable ones of
/// Latin-1 for themselves, the others from U+0100 on ("Ġ" is a space).
const std::string& byte_character(unsigned char byte);

/// The bytes that a token of such characters stands for; nothing when it has other characters.
std::optional<std::string> bytes_of_characters(std::string_view token);

}  // namespace logdepth::inline learned_language_model
