#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth::inline base {

/// Bytes of the character (UTF-8 code point) that `text` begins with; 0 when `text` is empty or
/// begins with bytes that are not UTF-8 (overlong forms and surrogates are not).
std::size_t utf8_length(std::string_view text);
/// The code point that `text` begins with; only meaningful when utf8_length(text) > 0.
char32_t utf8_decode(std::string_view text);
std::string utf8_encode(char32_t character);
/// Control characters, line and paragraph separators, those that reorder the text around them, and
/// those that are no characters.
bool disturbs_text(char32_t character);

}  // namespace logdepth::inline base
