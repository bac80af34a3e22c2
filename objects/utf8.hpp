#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth {

/// Bytes of the character (UTF-8 code point) that `text` begins with; 0 when `text` is empty or
/// begins with bytes that are not UTF-8 (overlong forms and surrogates are not).
std::size_t utf8_length(std::string_view text);
/// The code point that `text` begins with; only meaningful when utf8_length(text) > 0.
char32_t utf8_decode(std::string_view text);
std::string utf8_encode(char32_t character);
/// Text of unknown origin made fit for a message: anything but printable UTF-8 becomes `\xHH`, and
/// long text is cut.
std::string printable(std::string_view text, std::size_t limit = 40);
/// The same between single quotes.
std::string in_quotes(std::string_view text);

}  // namespace logdepth
