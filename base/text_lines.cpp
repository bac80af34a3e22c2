#include "base/text_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace logdepth { inline namespace base {
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
  if (value < 0x80) return std::string(1, static_cast<char>(value));
  const unsigned more = value < 0x800 ? 1 : value < 0x10000 ? 2 : 3;  // bytes after the first
  const std::uint32_t mark = more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0;
  std::string text(1, static_cast<char>(mark | (value >> (6 * more))));
  for (unsigned left = more; left-- > 0;)
    text += static_cast<char>(0x80 | ((value >> (6 * left)) & 0x3F));
  return text;
}

bool disturbs_text(char32_t character) {
  const auto among = [&](char32_t first, char32_t last) {
    return character >= first && character <= last;
  };
  return among(0, 0x1F) || among(0x7F, 0x9F) || among(0x2028, 0x202E) || among(0x2066, 0x2069) ||
         among(0xFFFE, 0xFFFF);
}

bool is_unseen(char32_t character) {
  return (character >= 0x2000 && character <= 0x200F) ||
         (character >= 0x205F && character <= 0x2064) || character == 0xA0 || character == 0xAD ||
         character == 0x1680 || character == 0x202F || character == 0x3000 || character == 0xFEFF;
}

bool holds_unseen(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::max<std::size_t>(utf8_length(text), 1)))
    if (is_unseen(utf8_decode(text))) return true;
  return false;
}

bool is_plain_name(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t length = utf8_length(text.substr(position));
    if (length == 0 || byte(text, position) < 0x20 || byte(text, position) == 0x7F) return false;
    position += length;
  }
  return !text.empty();
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> finite_number(std::string_view text) {
  const std::string copy(text);
  if (copy.find_first_not_of("0123456789+-.eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return fields;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    fields.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

namespace {

/// Letters to insert, leave out, replace or exchange with a neighbour to make one of the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> errors(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        errors[i][j] = i + j;
        continue;
      }
      errors[i][j] = std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1,
                               errors[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
    }
  return errors[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> meant(const std::string& written,
                                 const std::vector<std::string>& names) {
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(written.size() / 3, 1);
  for (const std::string& name : names)
    if (const std::size_t errors = typing_errors(written, name); errors <= fewest) {
      if (nearest && errors == fewest) continue;
      nearest = name;
      fewest = errors;
    }
  return nearest;
}

}}  // namespace logdepth::base
