#include "learned/language_model/split_pattern.hpp"

#include <fmt/core.h>

#include "base/quoted_text.hpp"
#include "base/utf8.hpp"
#include "logdepth/errors.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace logdepth::inline learned_language_model {
namespace {

constexpr std::uint32_t kHeapKibibytes = 256 << 10;

std::string message_of(int error) {
  PCRE2_UCHAR text[160];
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

/// The expression as PCRE2 reads it, or what in it would mean something else there.
struct Translation {
  std::string pattern;
  const char* unlike = nullptr;
};

/// White space is Unicode's White_Space; PCRE2's \s has U+180E as well. \S in a class cannot be
/// written out, and stays.
Translation from_oniguruma(std::string_view pattern) {
  static constexpr std::string_view kSpace = R"(\t-\r\x{85}\p{Z})";
  std::string written;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.size() > 1 && rest[0] == '\\') {
      ++i;
      if (rest[1] == 'h' || rest[1] == 'H') return {"", "a hexadecimal digit as \\h"};
      if (rest[1] == 's')
        written += in_class ? std::string(kSpace) : fmt::format("[{}]", kSpace);
      else if (rest[1] == 'S' && !in_class)
        written += fmt::format("[^{}]", kSpace);
      else
        written += rest.substr(0, 2);
      continue;
    }
    if (in_class && rest[0] == '[') return {"", "a class within a class"};
    if (in_class && rest.starts_with("&&")) return {"", "an intersection of classes"};
    if (rest[0] == '[' || rest[0] == ']') in_class = rest[0] == '[';
    written += rest[0];
  }
  return {written, nullptr};
}

/// Looks for a compiled expression in one text, valid UTF-8.
class PatternSearch {
 public:
  PatternSearch(const void* code, std::string_view text)
      : code_(static_cast<const pcre2_code*>(code)),
        text_(text),
        match_(pcre2_match_data_create(1, nullptr), pcre2_match_data_free),
        context_(pcre2_match_context_create(nullptr), pcre2_match_context_free) {
    pcre2_set_heap_limit(context_.get(), kHeapKibibytes);
  }

  struct Match {
    std::size_t begin, end;
  };
  /// The first match from there on. Errors: InputError naming source and expression when it takes
  /// too many steps.
  std::optional<Match> next(std::size_t from, const std::string& source,
                            const std::string& pattern) {
    const int found = pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(),
                                  from, PCRE2_NO_UTF_CHECK, match_.get(), context_.get());
    if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (found < 0)
      throw InputError(
          fmt::format("{}: expected an expression that splits the text, found {}, "
                      "where PCRE2 gives up ({})",
                      source, in_quotes(pattern), message_of(found)));
    const std::size_t* ends = pcre2_get_ovector_pointer(match_.get());
    return Match{ends[0], ends[1]};
  }

 private:
  const pcre2_code* code_;
  std::string_view text_;
  std::shared_ptr<pcre2_match_data> match_;
  std::shared_ptr<pcre2_match_context> context_;
};

}  // namespace

SplitPattern::SplitPattern(std::string pattern, std::string source)
    : pattern_(std::move(pattern)), source_(std::move(source)) {
  const auto [written, unlike] = from_oniguruma(pattern_);
  const auto expected = [&](const std::string& found) {
    return InputError(
        fmt::format("{}: expected a regular expression that PCRE2 reads, found {} ({})", source_,
                    in_quotes(pattern_), found));
  };
  if (unlike != nullptr) throw expected(unlike);
  int error = 0;
  std::size_t place = 0;
  // Oniguruma's ^ and $ stand at every line.
  pcre2_code* code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(written.data()), written.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE, &error, &place, nullptr);
  if (code == nullptr) throw expected(message_of(error));
  code_ = {code, [](const void* compiled) {
             pcre2_code_free(static_cast<pcre2_code*>(const_cast<void*>(compiled)));
           }};
}

void SplitPattern::split(std::string_view text, std::vector<std::string_view>& pieces) const {
  PatternSearch search(code_.get(), text);
  std::size_t done = 0;
  const auto cut = [&](std::size_t end) {
    if (end <= done) return;
    pieces.push_back(text.substr(done, end - done));
    done = end;
  };
  for (std::size_t from = 0; from < text.size();) {
    const auto match = search.next(from, source_, pattern_);
    if (!match) break;
    cut(match->begin);
    cut(match->end);
    // An empty match cuts, and the search goes on behind the next character.
    from = done > from ? done : from + utf8_length(text.substr(from));
  }
  cut(text.size());
}

std::optional<std::string_view> SplitPattern::first_match(std::string_view text) const {
  const auto match = PatternSearch(code_.get(), text).next(0, source_, pattern_);
  if (!match) return std::nullopt;
  return text.substr(match->begin, match->end - match->begin);
}

}  // namespace logdepth::inline learned_language_model
