#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace logdepth::inline base {

/// How much of a text stands in a message.
inline constexpr std::size_t kMostQuoted = 100;
/// How long a sentence may be, or a line that is printed for people: beyond what any of ours is.
inline constexpr std::size_t kMostPrinted = 8000;

/// Text of unknown origin made fit for a terminal: bytes that are not UTF-8 and characters that
/// move the cursor, end the line or reorder the text become `\xHH`; what is longer than `limit`
/// bytes is cut.
std::string printable(std::string_view text, std::size_t limit = kMostQuoted);
/// The same between single quotes. What a message quotes from an input goes through this.
std::string in_quotes(std::string_view text);

}  // namespace logdepth::inline base
