#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

/// The style of the pages, of --help and of messages, as far as a program can check it.
namespace logdepth::plain_prose {

inline constexpr std::size_t kMostCellCharacters = 200;  ///< visible ones: no link targets
inline constexpr std::size_t kMostSentenceWords = 35;    ///< outside tables
inline constexpr std::size_t kMostColons = 2;            ///< colons and semicolons of a sentence
inline constexpr std::size_t kMostHelpColumns = 100;
inline constexpr std::size_t kFewestReadmeLines = 5;

struct Failure {
  std::string check;     ///< "cell", "sentence", "colons", "words"
  std::size_t line = 0;  ///< where its paragraph or row begins, from 1
  std::string text;      ///< the sentence or cell
};
/// Of a page in Markdown, without its code blocks. Code spans are visible, but not prose: their words
/// and signs do not count. Tables below the heading `unread` are left out.
std::vector<Failure> findings(const std::string& page, const std::string& unread = "");

/// How often a text has one of the turns that a reader has to decode.
std::size_t banned_words(const std::string& text);

/// String literals of C++ as the compiler joins them, without those of includes and comments.
std::vector<std::string> literals(const std::string& source);
/// Patterns of messages and how many of the literals have each. A literal of one word is a key or a
/// name, and is left out.
std::map<std::string, std::size_t> message_words(const std::vector<std::string>& literals);

/// Lines of more columns than --help may have.
std::vector<std::string> wide_lines(const std::string& help);
/// Descriptions of a manual page in roff that make no sense alone, as "of the proofs".
std::vector<std::string> dependent_descriptions(const std::string& manual);
/// Whether a page is too short for the README of a folder.
bool is_stub(const std::string& page);

/// How often each check fails, by check and place: "words docs/learned.md".
using Counts = std::map<std::string, std::size_t>;
/// "COUNT CHECK PLACE" on every line.
Counts read_counts(const std::string& text);
std::string print_counts(const Counts& counts);
/// One sentence for every count that is not the listed one. What is not listed is 0.
std::vector<std::string> complaints(const Counts& counted, const Counts& listed);
/// The list after counts fell. It never rises: what exceeds the list stays a complaint.
Counts lowered(const Counts& counted, const Counts& listed);

}  // namespace logdepth::plain_prose
