#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth { inline namespace base {

/// Bytes of the character (UTF-8 code point) that `text` begins with; 0 when `text` is empty or
/// begins with bytes that are not UTF-8 (overlong forms and surrogates are not).
std::size_t utf8_length(std::string_view text);
/// The code point that `text` begins with; only meaningful when utf8_length(text) > 0.
char32_t utf8_decode(std::string_view text);
std::string utf8_encode(char32_t character);
/// Control characters, line and paragraph separators, those that reorder the text around them, and
/// those that are no characters.
bool disturbs_text(char32_t character);
/// White space beyond ASCII, and characters without a width: nobody sees them between others.
bool is_unseen(char32_t character);
bool holds_unseen(std::string_view text);
/// Whether it can name something in a file: not empty, UTF-8, no control characters.
bool is_plain_name(std::string_view text);
/// A to Z as a to z, all else as it is.
std::string lower_case(std::string_view text);

/// The whole text as a decimal number: digits only.
std::optional<std::uint64_t> whole_number(std::string_view text);
/// The whole text as a number that a double can be, as "-0.5" and "1e3"; no name of infinity.
std::optional<double> finite_number(std::string_view text);
/// The lines of a text, without their ends; a last line without an end counts.
std::vector<std::string_view> lines_of(std::string_view text);
/// The fields of a line, separated by spaces and tabs.
std::vector<std::string_view> fields_of(std::string_view line);

/// The nearest of the names, if it is a third of the letters away at most: what was probably meant.
std::optional<std::string> meant(const std::string& written, const std::vector<std::string>& names);

}}  // namespace logdepth::base
