#include "compiler/program/line_words.hpp"

#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace compiler_program {
namespace {

bool blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

void LineWords::fail(const std::string& sentence) const {
  throw InputError(source_, line_, sentence);
}

void LineWords::next_line(std::string_view line) {
  ++line_;
  words_.clear();
  next_ = 0;
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t i = 0;
  while (i < line.size()) {
    if (blank(line[i])) {
      ++i;
      continue;
    }
    if (line[i] == '#') return;
    Word word;
    while (i < line.size() && !blank(line[i])) {
      if (line[i] != '"') {
        word.text += line[i++];
        continue;
      }
      word.plain = false;
      for (++i;; ++i) {
        if (i >= line.size()) fail("a quotation mark is not closed");
        if (line[i] == '"') break;
        const bool escaped = line[i] == '\\';
        if (escaped && ++i >= line.size()) fail("a quotation mark is not closed");
        word.text += escaped && line[i] == 'n' ? '\n' : line[i];
      }
      ++i;
    }
    words_.push_back(std::move(word));
  }
}

bool LineWords::at(const char* keyword) const {
  return more() && words_[next_].plain && words_[next_].text == keyword;
}

std::string LineWords::take(const char* expected) {
  if (!more()) fail_expecting(expected);
  return words_[next_++].text;
}

std::vector<std::string> LineWords::take_all(const char* expected) {
  std::vector<std::string> words;
  while (more()) words.push_back(take(expected));
  return words;
}

bool LineWords::accept(const char* keyword) {
  if (!at(keyword)) return false;
  ++next_;
  return true;
}

void LineWords::expect(const char* keyword, const char* wanted) {
  if (!accept(keyword)) fail_expecting(wanted ? wanted : in_quotes(keyword));
}

void LineWords::fail_expecting(const std::string& wanted) const {
  fail("expected " + wanted +
       (more() ? ", found " + in_quotes(words_[next_].text) : " at the end of the line"));
}

void LineWords::end_of_line() const {
  if (more()) fail("expected the end of the line, found " + in_quotes(words_[next_].text));
}

std::uint64_t LineWords::number(const char* expected) {
  const std::string text = take(expected);
  const auto value = whole_number(text);
  if (!value || *value > (1ull << 62))
    fail(std::string("expected ") + expected + ", found " + in_quotes(text));
  return *value;
}

std::uint32_t LineWords::small_number(const char* expected) {
  const std::uint64_t value = number(expected);
  if (value > kLargestSmallNumber)
    fail(fmt::format("expected {} of at most {}", expected, kLargestSmallNumber));
  return static_cast<std::uint32_t>(value);
}

}}  // namespace logdepth::compiler_program
