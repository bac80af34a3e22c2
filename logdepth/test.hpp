#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "logdepth/compile.hpp"

namespace logdepth {

/// Which words a test asks. The same seed asks the same words.
struct TestedWords {
  std::size_t up_to = 6;         ///< every word of at most so many letters
  std::size_t random = 200;      ///< and so many random ones,
  std::size_t max_length = 100;  ///< of at most so many letters
  std::uint64_t seed = 1;        ///< of the random ones
};

/// A word at which a transformer is wrong, shrunk: no letter of it can be left out, or made the
/// first letter of the alphabet.
struct WrongWord {
  /// What it is that is wrong.
  enum class Wrong {
    answer,   ///< the verdict, or a number
    product,  ///< of the first letters, or the state after them
    promise,  ///< a head selects what it does not promise
    depth,    ///< other layers run than the file claims
    limit     ///< a word beyond the file's limit is answered
  };
  Letters word;                 ///< the input
  Wrong wrong = Wrong::answer;  ///< what is wrong there
  std::string expected;         ///< in words: "accept", "exactly one position", ...
  std::string got;              ///< in words
};

/// What a test found.
struct TestResult {
  std::size_t exhaustive_words = 0;  ///< short words asked
  std::size_t random_words = 0;      ///< long ones
  std::size_t accepted = 0;          ///< words of the language among them
  std::size_t numbers = 0;           ///< named numbers compared
  std::size_t products = 0;          ///< prefix products compared
  std::size_t states = 0;            ///< states after prefixes compared
  std::uint64_t promises = 0;        ///< rows at which a head's promise was checked
  std::vector<std::string> unasked;  ///< heads whose promise was never checked
  std::optional<WrongWord> wrong;    ///< the first that was found; asking ends there
  /// Nothing was found.
  bool passed() const { return !wrong; }
  /// In a sentence or two, as `logdepth test` says it.
  std::string text() const;
};

/// Asks a transformer every short word and random long ones, half of them long runs of few letters:
/// whether its exact verdict is what `language` says, whether every head selects what it promises,
/// whether as many layers run as it claims, and whether a word beyond its limit is refused.
/// `language` may be asked a word more than once. Errors: InputError where the transformer reads no
/// words or gives no verdict, and when up_to means more than 2^24 words; SizeLimit as in run.
TestResult test(const Transformer& transformer, const std::function<bool(const Letters&)>& language,
                const TestedWords& words = {});

/// The same of a transformer that answers with named numbers: `numbers` says what each is at the last
/// token of a word, exactly ("3/5").
TestResult test_numbers(
    const Transformer& transformer,
    const std::function<std::map<std::string, std::string>(const Letters&)>& numbers,
    const TestedWords& words = {});

/// Against a regular expression over the letters of the transformer, by its derivatives: verdicts,
/// and the state after every prefix where the file reads these, as the minimal automaton numbers them
/// breadth first. Errors also: InputError for what is no expression.
TestResult test_regex(const Transformer& transformer, const std::string& expression,
                      const TestedWords& words = {});

/// Against a group or monoid by its name ("A5", "Z6", "flipflop"), whose generators are the letters:
/// verdicts, and the product of the letters of every prefix, or the state after it. Errors also: InputError for another name.
TestResult test_group(const Transformer& transformer, const std::string& name,
                      const TestedWords& words = {});

}  // namespace logdepth
