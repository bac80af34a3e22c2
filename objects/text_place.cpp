#include "objects/text_place.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

namespace logdepth::inline objects {

namespace {

/// Characters, which are bytes that continue none.
std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Where the first semicolon is that is not quoted.
std::size_t advice_of(std::string_view sentence) {
  bool quoted = false;
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    const bool begins =
        i == 0 || std::string_view(" (").find(sentence[i - 1]) != std::string_view::npos;
    if (sentence[i] == '\'')
      quoted = quoted ? false : begins;
    else if (sentence[i] == ';' && !quoted)
      return i;
  }
  return sentence.size();
}

}  // namespace

std::string with_column(const std::string& sentence, std::size_t column) {
  const std::size_t end = advice_of(sentence);
  return sentence.substr(0, end) + fmt::format(", at column {}", column) + sentence.substr(end);
}

InputError TextPlace::error(std::string_view part, const std::string& sentence) const {
  const std::less_equal<const char*> before;
  const bool inside = before(text.data(), part.data()) &&
                      before(part.data(), text.data() + text.size()) && part.data() != nullptr;
  if (!inside) return error(sentence);
  const std::string_view left = text.substr(0, static_cast<std::size_t>(part.data() - text.data()));
  return error(with_column(sentence, characters_of(left) + 1));
}

InputError error_at(std::string_view text, std::string_view source, std::size_t offset,
                    const std::string& sentence) {
  const std::string_view left = text.substr(0, std::min(offset, text.size()));
  const auto line = static_cast<std::size_t>(std::ranges::count(left, '\n')) + 1;
  const std::size_t begin = left.rfind('\n') + 1;  // 0 without one
  return InputError(std::string(source), line,
                    with_column(sentence, characters_of(left.substr(begin)) + 1));
}

}  // namespace logdepth::inline objects
