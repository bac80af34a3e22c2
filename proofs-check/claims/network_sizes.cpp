#include "proofs-check/claims/network_sizes.hpp"

#include <fmt/core.h>

#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/phrases.hpp"
#include "compiler/passes/compile.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/words.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_claims {
namespace {

/// Words of this many letters: one letter again and again, each letter, and two with letters drawn.
std::vector<Word> words_of(std::size_t length, std::size_t letters, std::mt19937_64& random) {
  std::vector<Word> words;
  for (Letter letter = 0; letter < letters; ++letter) words.emplace_back(length, letter);
  for (int k = 0; k < 2; ++k) {
    Word word;
    for (std::size_t i = 0; i < length; ++i)
      word.push_back(static_cast<Letter>(random() % letters));
    words.push_back(std::move(word));
  }
  return words;
}

/// Everything that is asked of a word: verdict, products, promises, cells.
class Words {
 public:
  Words(const Model& model, const LanguageOracle& oracle)
      : runs_(model), questions_(model, oracle) {}

  std::vector<std::string> letters(const Word& word) const { return questions_.names(word); }
  std::string text(const Word& word) const { return questions_.text(word); }
  std::optional<std::string> wrong(const Word& word) {
    ComparedCounts counts;
    const auto found = runs_.ask(questions_, word, counts);
    if (!found) return std::nullopt;
    return text(word) + ": expected " + expected_text(*found) + ", found " + got_text(*found);
  }

 private:
  ExactRuns runs_;
  WordDomain questions_;
};

/// The first coordinate in which two residual streams differ.
std::optional<std::string> differing(Runner& one, const Stream<ValueId>& a, Runner& other,
                                     const Stream<ValueId>& b) {
  for (std::size_t token = 0; token < a.tokens; ++token)
    for (std::size_t at = 0; at < one.model().width; ++at)
      if (one.arithmetic().pool()[a.at(token, at)] != other.arithmetic().pool()[b.at(token, at)])
        return fmt::format("coordinate {} of token {}", at, token);
  return std::nullopt;
}

}  // namespace

Calculation unrolled_network(const Program& program, const Action& action, const std::string& name,
                             std::uint64_t largest) {
  Calculation result;
  const auto oracle = make_action_oracle(action, name);
  const Model looped = compile(program).model;
  std::mt19937_64 random(1);
  std::size_t streams = 0, answers = 0;
  for (std::uint64_t n = 1; n <= largest && !result.counterexample; ++n) {
    const Model standard = compile(program, {.unroll = n}).model;
    const auto wrong = [&](const std::string& what) {
      if (!result.counterexample)
        result.counterexample = fmt::format("unrolled for {}: {}", counted(n, "letter"), what);
    };
    if (depth_at(standard, n) != depth_at(looped, n) || loops_at(standard.unroll, n) != 0)
      wrong("another depth than the looped network's, or loops");
    Runner one(looped), other(standard);
    Words words(standard, *oracle);
    for (std::uint64_t length = 0; length <= n; ++length)
      for (const Word& word : words_of(length, action.alphabet.size(), random)) {
        if (const auto found = words.wrong(word)) wrong(*found);
        ++answers;
        // Where both have as many layers, they hold the same numbers.
        if (depth_at(looped, length) != depth_at(standard, length)) continue;
        const auto a = one.run_word(words.letters(word)), b = other.run_word(words.letters(word));
        if (!a.has_value() || !b.has_value()) {
          wrong(words.text(word) + ": no answer");
          continue;
        }
        if (const auto place = differing(one, a.value(), other, b.value()))
          wrong(words.text(word) + ": another number at " + *place);
        ++streams;
      }
  }
  result.figures = {{"residual streams compared, number by number", std::to_string(streams)},
                    {"words answered, with every prefix", std::to_string(answers)}};
  result.bound = fmt::format(
      "for every n up to {}, words of at most n letters (one letter again and again, two drawn "
      "with "
      "seed 1)",
      largest);
  return result;
}

Calculation on_shorter_words(const std::function<Program(std::uint64_t n)>& network,
                             const Action& action, const std::string& name, std::uint64_t largest) {
  Calculation result;
  const auto oracle = make_action_oracle(action, name);
  std::mt19937_64 random(1);
  std::size_t answers = 0;
  for (std::uint64_t n = 1; n <= largest && !result.counterexample; ++n) {
    const Model model = compile(network(n)).model;
    Words words(model, *oracle);
    for (std::uint64_t length = 0; length <= n && !result.counterexample; ++length)
      for (const Word& word : words_of(length, action.alphabet.size(), random)) {
        ++answers;
        if (const auto found = words.wrong(word))
          result.counterexample =
              fmt::format("the network for {}, {}", counted(n, "letter"), *found);
      }
  }
  result.figures = {{"words answered, with every prefix", std::to_string(answers)}};
  result.bound = fmt::format(
      "the network for every n up to {}, on words of every length up to n (one letter again and "
      "again, two drawn with seed 1)",
      largest);
  return result;
}

}  // namespace logdepth::inline proofs_check_claims
