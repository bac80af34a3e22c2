#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth { inline namespace base {

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

/// Text of any origin for a place between tags or between double quotes of XML, HTML, or a
/// Graphviz label of the `<...>` kind: the five special characters become entities, control
/// characters become their visible pictures, and bytes that are not UTF-8 the replacement sign.
std::string xml_text(std::string_view text);

/// Number of characters (code points) of the text.
std::size_t count_characters(std::string_view text);
/// The text cut to `limit` characters, with an ellipsis in the last place when something is lost.
std::string cut_text(std::string_view text, std::size_t limit);
/// Rows of texts, in columns. Precondition: no row is longer than the first.
std::string columns_text(const std::vector<std::vector<std::string>>& rows);

/// One word of a shell, in single quotes where it needs them.
inline std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}}  // namespace logdepth::base
