#include "base/quoted_text.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/text_lines.hpp"

namespace logdepth { inline namespace base {

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "...";
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const char32_t decoded = utf8_decode(text);
    if (length > 0 && !disturbs_text(decoded) && !is_unseen(decoded)) {
      result += character;
    } else {
      for (const char c : character)
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(character.size());
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  return "'" + printable(text) + "'";
}

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string xml_character(std::string_view bytes) {
  const char32_t c = utf8_decode(bytes);
  if (c == '&') return "&amp;";
  if (c == '<') return "&lt;";
  if (c == '>') return "&gt;";
  if (c == '"') return "&quot;";
  if (c == '\'') return "&#39;";
  if (c < 0x20) return utf8_encode(0x2400 + c);  // the block "control pictures"
  if (c == 0x7F) return utf8_encode(0x2421);
  return disturbs_text(c) ? kReplacement : std::string(bytes);
}

/// Calls `use` with the bytes of every character; broken bytes come one by one with `sound` false.
template <class Use>
void for_each_character(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    use(text.substr(0, std::max<std::size_t>(length, 1)), length > 0);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string result;
  for_each_character(text, [&](std::string_view bytes, bool sound) {
    result += sound ? xml_character(bytes) : kReplacement;
  });
  return result;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view, bool) { ++count; });
  return count;
}

std::string cut_text(std::string_view text, std::size_t limit) {
  if (count_characters(text) <= limit) return std::string(text);
  std::string result;
  std::size_t count = 0;
  for_each_character(text, [&](std::string_view bytes, bool) {
    if (++count < limit) result += bytes;
  });
  return result + "\xE2\x80\xA6";
}

std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_characters(row[i]));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] + 2 - count_characters(row[i]), ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}}  // namespace logdepth::base
