#include "learned/language_model/byte_alphabet.hpp"

#include <array>
#include <unordered_map>

#include "base/utf8.hpp"

namespace logdepth::inline learned_language_model {
namespace {

struct ByteAlphabet {
  std::array<std::string, 256> characters;
  std::unordered_map<char32_t, unsigned char> bytes;

  ByteAlphabet() {
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      // U+00AD is a soft hyphen, which nobody sees.
      const bool printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
      const char32_t character = printable ? byte : next++;
      characters[byte] = utf8_encode(character);
      bytes.emplace(character, static_cast<unsigned char>(byte));
    }
  }
};

const ByteAlphabet& byte_alphabet() {
  static const ByteAlphabet alphabet;
  return alphabet;
}

}  // namespace

const std::string& byte_character(unsigned char byte) {
  return byte_alphabet().characters[byte];
}

std::optional<std::string> bytes_of_characters(std::string_view token) {
  const auto& known = byte_alphabet().bytes;
  std::string bytes;
  while (!token.empty()) {
    const std::size_t length = utf8_length(token);
    const auto found = length == 0 ? known.end() : known.find(utf8_decode(token));
    if (found == known.end()) return std::nullopt;
    bytes += static_cast<char>(found->second);
    token.remove_prefix(length);
  }
  return bytes;
}

}  // namespace logdepth::inline learned_language_model
