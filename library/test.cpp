// Property tests against what the user says is right: test.hpp.
#include "logdepth/test.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/phrases.hpp"
#include "base/xml_text.hpp"
#include "library/requests/oracle_request.hpp"
#include "library/runs/tested.hpp"
#include "library/transformer_inside.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth {
namespace {

using Numbers = std::map<std::string, std::string>;

/// A language, or numbers of words, as functions of the user's have them.
class FunctionOracle : public LanguageOracle {
 public:
  FunctionOracle(const Letters& alphabet, std::function<bool(const Letters&)> language,
                 std::function<Numbers(const Letters&)> numbers)
      : alphabet_(alphabet), language_(std::move(language)), numbers_(std::move(numbers)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word& word) const override {
    require(language_ != nullptr,
            "the transformer decides words; expected a function that decides whether a word is "
            "accepted");
    return language_(letters(word));
  }
  std::optional<std::string> named_values(const Word& word) const override {
    if (!numbers_) return std::nullopt;
    std::vector<std::string> fields;
    for (const auto& [name, number] : numbers_(letters(word))) {
      // As numbers of runs are written, without the blanks that separate names.
      std::string text = name + "=";
      for (const char c : number)
        if (c != ' ') text += c;
      fields.push_back(std::move(text));
    }
    return joined(fields, " ");
  }
  std::string name() const override { return "the function"; }

 private:
  Letters letters(const Word& word) const {
    Letters names;
    for (const Letter letter : word) names.push_back(alphabet_.name(letter));
    return names;
  }

  Alphabet alphabet_;
  std::function<bool(const Letters&)> language_;
  std::function<Numbers(const Letters&)> numbers_;
};

TestResult test_with(const Transformer& transformer, const LanguageOracle& oracle,
                     const TestedWords& words) {
  return tested_words(transformer.hidden().model, oracle, words);
}

}  // namespace

TestResult test(const Transformer& transformer, const std::function<bool(const Letters&)>& language,
                const TestedWords& words) {
  return test_with(transformer, FunctionOracle(transformer.alphabet(), language, nullptr), words);
}

TestResult test_numbers(const Transformer& transformer,
                        const std::function<Numbers(const Letters&)>& numbers,
                        const TestedWords& words) {
  return test_with(transformer, FunctionOracle(transformer.alphabet(), nullptr, numbers), words);
}

TestResult test_against(const Transformer& transformer, const std::string& oracle,
                        const TestedWords& words) {
  const Model& model = transformer.hidden().model;
  return test_with(transformer, *load_language_oracle({oracle, {}}, model).oracle, words);
}

TestResult test_regex(const Transformer& transformer, const std::string& expression,
                      const TestedWords& words) {
  const auto oracle = make_regex_oracle(parse_regex(expression, Alphabet(transformer.alphabet())));
  return test_with(transformer, *oracle, words);
}

TestResult test_group(const Transformer& transformer, const std::string& name,
                      const TestedWords& words) {
  return test_with(transformer, *make_action_oracle(named_monoid(name), "group " + name), words);
}

std::string TestResult::text() const {
  const std::string asked = fmt::format(
      "{}, {} with one letter that differs from the rest, {}, {} accepted, {}",
      counted(exhaustive_words, "short word"), counted(chosen_words, "word"),
      counted(random_words, "random word"), accepted, counted(promises, "contract instance"));
  if (!wrong) return "passed: " + asked;
  // As a user types it: letters run together where all are single characters.
  const bool single = std::ranges::all_of(
      wrong->word, [](const std::string& letter) { return count_characters(letter) == 1; });
  return fmt::format("failed: the word '{}': expected {}, found {}; tested: {}",
                     joined(wrong->word, single ? "" : " "), wrong->expected, wrong->got, asked);
}

}  // namespace logdepth
