#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth { inline namespace compiler_program {

/// The words of a text, line by line, with a cursor: what the reader of `.cells` files stands on.
/// Every failure is an InputError that names source and line.
class LineWords {
 public:
  explicit LineWords(std::string source) : source_(std::move(source)) {}

  /// Goes to the next line. Words are separated by blanks; a word that begins with # ends the line;
  /// any part of a word may be quoted, with \", \\ and \n inside.
  void next_line(std::string_view line);
  [[noreturn]] void fail(const std::string& sentence) const;

  bool more() const { return next_ < words_.size(); }
  /// The next word is this one, and no part of it was quoted.
  bool at(const char* keyword) const;
  std::string take(const char* expected);
  std::vector<std::string> take_all(const char* expected);
  bool accept(const char* keyword);
  /// `wanted`: what to say instead of the keyword.
  void expect(const char* keyword, const char* wanted = nullptr);
  /// "expected ..., found '...'", or "... at the end of the line".
  [[noreturn]] void fail_expecting(const std::string& wanted) const;
  void end_of_line() const;
  std::uint64_t number(const char* expected);
  static constexpr std::uint32_t kLargestSmallNumber = 1u << 20;
  std::uint32_t small_number(const char* expected);  ///< at most kLargestSmallNumber

 private:
  struct Word {
    std::string text;
    bool plain = true;
  };
  std::string source_;
  std::size_t line_ = 0;
  std::vector<Word> words_;
  std::size_t next_ = 0;
};

}}  // namespace logdepth::compiler_program
