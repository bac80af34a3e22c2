#include "base/xml_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace logdepth::inline base {
namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::string xml_character(std::string_view bytes) {
  const char32_t c = utf8_decode(bytes);
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      break;
  }
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

}  // namespace logdepth::inline base
