#include "base/quoted_text.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace logdepth::inline base {

std::string printable(std::string_view text, std::size_t limit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    if (result.size() >= limit) return result + "...";
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length > 0 && !disturbs_text(utf8_decode(text))) {
      result += character;
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        result += "\\x";
        result += kDigits[byte >> 4];
        result += kDigits[byte & 15];
      }
    }
    text.remove_prefix(character.size());
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "'";
  quoted += printable(text);
  quoted += '\'';
  return quoted;
}

}  // namespace logdepth::inline base
