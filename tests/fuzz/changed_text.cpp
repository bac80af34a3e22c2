#include "tests/fuzz/changed_text.hpp"

#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace logdepth::fuzz {
namespace {

struct Piece {
  std::size_t begin = 0, size = 0;
};

/// Less than `bound`, the same on every platform.
std::size_t draw(std::mt19937_64& random, std::size_t bound) {
  return static_cast<std::size_t>(random() % bound);
}

bool in_number(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) || c == '/' || c == '-';
}

std::vector<Piece> numbers_of(const std::string& text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < text.size();) {
    const bool inside_word = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1]));
    std::size_t end = i;
    while (end < text.size() && in_number(text[end])) ++end;
    const bool digit = end > i && std::isdigit(static_cast<unsigned char>(text[end - 1]));
    if (digit && !inside_word) pieces.push_back({i, end - i});
    i = end > i ? end : i + 1;
  }
  return pieces;
}

/// Whatever a comma precedes: one bracketed element with its brackets, or a scalar.
std::vector<Piece> elements_of(const std::string& text) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != ',') continue;
    std::size_t end = i + 1, open = 0;
    for (; end < text.size(); ++end) {
      const char c = text[end];
      if (open == 0 && (c == ',' || c == ']' || c == '}' || c == '\n')) break;
      open += c == '[' || c == '{';
      open -= c == ']' || c == '}';
    }
    pieces.push_back({i, end - i});
  }
  return pieces;
}

void exchange(std::string& text, Piece a, Piece b) {
  if (a.begin > b.begin) std::swap(a, b);
  if (a.begin + a.size > b.begin) return;  // one holds the other
  const std::string first = text.substr(a.begin, a.size), second = text.substr(b.begin, b.size);
  text.replace(b.begin, b.size, first);
  text.replace(a.begin, a.size, second);
}

void change_number(std::string& text, std::mt19937_64& random) {
  static const std::array kValues = {"0", "1",    "-1",         "2",          "-2",
                                     "3", "4",    "1/2",        "2/3",        "-1/3",
                                     "5", "7/11", "1000000000", "-1000000000"};
  const std::vector<Piece> pieces = numbers_of(text);
  if (pieces.empty()) return;
  const Piece at = pieces[draw(random, pieces.size())], other = pieces[draw(random, pieces.size())];
  switch (draw(random, 3)) {
    case 0:
      return exchange(text, at, other);
    case 1:
      text.replace(at.begin, at.size, text.substr(other.begin, other.size));
      return;
    default:
      text.replace(at.begin, at.size, kValues[draw(random, kValues.size())]);
  }
}

void change_element(std::string& text, std::mt19937_64& random) {
  const std::vector<Piece> pieces = elements_of(text);
  if (pieces.empty()) return;
  const Piece at = pieces[draw(random, pieces.size())], other = pieces[draw(random, pieces.size())];
  const std::string element = text.substr(at.begin, at.size);
  switch (draw(random, 4)) {
    case 0:
      text.erase(at.begin, at.size);
      return;
    case 1:
      text.insert(at.begin, element);
      return;
    case 2:
      text.insert(other.begin, element);
      return;
    default:
      exchange(text, at, other);
  }
}

}  // namespace

std::string changed_text(std::string text, std::mt19937_64& random) {
  for (std::size_t changes = 1 + draw(random, 3); changes > 0 && !text.empty(); --changes) {
    const std::size_t kind = draw(random, 16);
    if (kind < 10)
      change_number(text, random);
    else if (kind < 15)
      change_element(text, random);
    else
      text[draw(random, text.size())] = static_cast<char>(draw(random, 256));
  }
  return text;
}

}  // namespace logdepth::fuzz
