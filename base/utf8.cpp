#include "base/utf8.hpp"

#include <cstdint>

namespace logdepth::inline base {

namespace {

std::uint32_t byte(std::string_view text, std::size_t position) {
  return static_cast<unsigned char>(text[position]);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const std::uint32_t lead = byte(text, 0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(text, i) & 0xC0) != 0x80) return 0;
  }
  const std::uint32_t second = byte(text, 1);
  if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
  if (lead == 0xED && second > 0x9F) return 0;  // surrogate
  if (lead == 0xF0 && second < 0x90) return 0;  // overlong
  if (lead == 0xF4 && second > 0x8F) return 0;  // beyond U+10FFFF
  return length;
}

char32_t utf8_decode(std::string_view text) {
  const std::uint32_t lead = byte(text, 0);
  if (lead < 0x80) return lead;
  const std::size_t length = utf8_length(text);
  if (length == 0) return 0xFFFD;
  std::uint32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (byte(text, i) & 0x3F);
  return value;
}

std::string utf8_encode(char32_t character) {
  const std::uint32_t value = character;
  std::string text;
  if (value < 0x80) {
    text += static_cast<char>(value);
  } else if (value < 0x800) {
    text += static_cast<char>(0xC0 | (value >> 6));
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    text += static_cast<char>(0xE0 | (value >> 12));
    text += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (value >> 18));
    text += static_cast<char>(0x80 | ((value >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((value >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (value & 0x3F));
  }
  return text;
}

bool disturbs_text(char32_t character) {
  const auto among = [&](char32_t first, char32_t last) {
    return character >= first && character <= last;
  };
  return among(0, 0x1F) || among(0x7F, 0x9F) || among(0x2028, 0x202E) || among(0x2066, 0x2069) ||
         among(0xFFFE, 0xFFFF);
}

}  // namespace logdepth::inline base
