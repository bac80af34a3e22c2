#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline objects {

namespace {

bool is_space(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

/// "{a, b, c}"; a long alphabet is cut so that a message stays one sentence.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 20;
  std::string text = "{";
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  if (names.size() > shown) text += fmt::format(", ... {} letters", names.size());
  return text + "}";
}

void check_letter(const std::string& name, std::size_t index) {
  if (name.empty()) {
    throw InputError(
        fmt::format("letter {} of the alphabet is empty; expected a name of at least one character",
                    index + 1));
  }
  for (std::size_t position = 0; position < name.size();) {
    const std::size_t length = utf8_length(std::string_view(name).substr(position));
    if (length == 0) {
      throw InputError("letter " + in_quotes(name) + " of the alphabet is not valid UTF-8");
    }
    if (name[position] == ' ' ||
        disturbs_text(utf8_decode(std::string_view(name).substr(position)))) {
      throw InputError("letter " + in_quotes(name) +
                       " of the alphabet holds white space or a control character");
    }
    position += length;
  }
}

InputError unknown_letter(std::string_view letter, std::size_t position,
                          const std::vector<std::string>& names) {
  return InputError(fmt::format("letter {} at position {} of the word is not in the alphabet {}",
                                in_quotes(letter), position, list_of(names)));
}

}  // namespace

Alphabet::Alphabet(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    check_letter(names_[i], i);
    if (!index_.emplace(names_[i], static_cast<Letter>(i)).second) {
      throw InputError("letter " + in_quotes(names_[i]) +
                       " occurs twice in the alphabet; expected distinct letters");
    }
  }
}

std::optional<Letter> Alphabet::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

bool Alphabet::single_characters() const {
  return std::all_of(names_.begin(), names_.end(),
                     [](const std::string& name) { return utf8_length(name) == name.size(); });
}

Word Alphabet::parse_word(std::string_view text) const {
  if (!single_characters()) return parse_tokens(text);
  Word word;
  for (std::size_t position = 0; position < text.size();) {
    if (is_space(text[position])) {
      ++position;
      continue;
    }
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text.substr(position)));
    const std::string_view name = text.substr(position, length);
    const std::optional<Letter> letter = find(name);
    if (!letter) throw unknown_letter(name, word.size() + 1, names_);
    word.push_back(*letter);
    position += length;
  }
  return word;
}

Word Alphabet::parse_tokens(std::string_view text) const {
  Word word;
  for (std::size_t position = 0; position < text.size();) {
    if (is_space(text[position])) {
      ++position;
      continue;
    }
    std::size_t end = position;
    while (end < text.size() && !is_space(text[end])) ++end;
    const std::string_view name = text.substr(position, end - position);
    const std::optional<Letter> letter = find(name);
    if (!letter) throw unknown_letter(name, word.size() + 1, names_);
    word.push_back(*letter);
    position = end;
  }
  return word;
}

std::string Alphabet::format_word(const Word& word) const {
  const bool spaced = !single_characters();
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (spaced && i > 0) text += ' ';
    text += name(word[i]);
  }
  return text;
}

}  // namespace logdepth::inline objects
