// The value of formulas: the construction against a recursive reading of the text and against the
// oracle's stack, on all short words, all short formulas and the shapes that take the most rounds.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/JSHCM26/formula_value_lem4_1.hpp"
#include "logdepth/errors.hpp"
#include "oracle/formula_oracle.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::formula_value_tests { namespace {

struct Network {
  explicit Network(const FormulaOptions& options, Norm norm = Norm::rms)
      : model(compiled(options, norm)),
        oracle(make_formula_oracle(Alphabet(model.alphabet), options.algebra)),
        questions(model, *oracle),
        runs(model) {}

  static Model compiled(const FormulaOptions& options, Norm norm) {
    CompileOptions compiling;
    compiling.norm = norm;
    return compile(formula_value(options), compiling).model;
  }
  Word word(const std::string& text) const {
    Word word;
    for (const char letter : text)
      word.push_back(oracle->alphabet().find(std::string(1, letter)).value());
    return word;
  }
  /// Whether the exact run says what the oracle says.
  bool right(const Word& word) {
    ComparedCounts counts;
    return !runs.ask(questions, word, counts);
  }
  bool right(const std::string& text) { return right(word(text)); }

  Model model;
  std::unique_ptr<LanguageOracle> oracle;
  WordDomain questions;
  ExactRuns runs;
};

/// The value of the formula that ends before `end`, read from the right by recursion; `end` becomes its
/// beginning. Absent where the text runs out.
std::optional<int> value_before(const std::string& text, std::size_t& end, int m) {
  if (end == 0) return std::nullopt;
  const char last = text[--end];
  if (last >= '0' && last <= '9') return last - '0';
  const auto right = value_before(text, end, m);
  if (!right) return std::nullopt;
  if (last == '!') return *right == 0 ? 1 : 0;
  const auto left = value_before(text, end, m);
  if (!left) return std::nullopt;
  if (last == '+') return (*left + *right) % m;
  if (last == '|') return *left + *right > 0 ? 1 : 0;
  return *left * *right % m;
}
std::optional<int> value_of(const std::string& text, int m) {
  std::size_t end = text.size();
  const auto value = value_before(text, end, m);
  return end == 0 ? value : std::nullopt;
}

/// All formulas of so many letters over these values and operators.
std::vector<std::string> formulas(std::size_t length, const std::string& values,
                                  const std::string& unary, const std::string& binary) {
  std::vector<std::vector<std::string>> of_length(length + 1);
  for (const char value : values)
    if (length > 0) of_length[1].emplace_back(1, value);
  for (std::size_t n = 2; n <= length; ++n) {
    for (const char letter : unary)
      for (const std::string& a : of_length[n - 1]) of_length[n].push_back(a + letter);
    for (std::size_t i = 1; i + 1 < n; ++i)
      for (const std::string& a : of_length[i])
        for (const std::string& b : of_length[n - 1 - i])
          for (const char letter : binary) of_length[n].push_back(a + b + letter);
  }
  return of_length[length];
}

/// The trees on which rounds with one square are slowest: T(t) = ((((T(t-2) T(t-2)) 1) T(t-3)) 1).
std::string slow_tree(int t) {
  if (t <= 0) return "1";
  if (t == 1) return "11&";
  if (t == 2) return "11&11&&";
  if (t == 3) return "11&11&&1&11&&";
  const std::string a = slow_tree(t - 2);
  return a + a + "&1&" + slow_tree(t - 3) + "&1&";
}

std::string times(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string complete_tree(int depth) {
  return depth == 0 ? "1" : complete_tree(depth - 1) + complete_tree(depth - 1) + "&";
}

TEST(FormulaValues, OfTheOracleAreThoseOfARecursionFromTheRight) {
  for (const int m : {2, 3}) {
    const Network network({m == 2 ? "boolean" : "mod3"});
    support::for_each_word(network.model.alphabet.size(), 6, [&](const Word& word) {
      std::string text;
      for (const std::string& letter : support::letter_names(network.oracle->alphabet(), word))
        text += letter;
      const auto value = value_of(text, m);
      if (const auto named = network.oracle->named_values(word)) {
        const std::string reached = value ? std::to_string(*value) : "none";
        EXPECT_NE(named->find(reached + "=1"), std::string::npos) << text;
      } else {
        EXPECT_EQ(network.oracle->accepts(word), value == 1) << text;
      }
    });
  }
}

TEST(FormulaValues, TakeFourLayersPerDoublingOfTheLength) {
  for (const std::string& algebra : formula_algebras()) {
    const Measures counted = measure(Network({algebra}).model, 1000);
    EXPECT_EQ(counted.initial, 6u) << algebra;
    EXPECT_EQ(counted.repeated, 4u) << algebra;
    EXPECT_EQ(counted.final, 1u) << algebra;
    EXPECT_EQ(counted.depth, 47u) << algebra;
  }
}

TEST(FormulaValues, AreRightOnEveryShortWordUnderBothNorms) {
  for (const Norm norm : {Norm::rms, Norm::layernorm})
    for (const auto& [algebra, up_to] :
         {std::pair("boolean", 6u), std::pair("mod2", 5u), std::pair("mod3", 4u),
          std::pair("mod5", 3u), std::pair("mod6", 3u)}) {
      Network network({algebra}, norm);
      const std::size_t length = norm == Norm::rms ? up_to : up_to - 1;
      const auto result = examine_words(network.model, *network.oracle, {length, 60, 60});
      EXPECT_FALSE(result.counterexample) << algebra;
      EXPECT_TRUE(result.unevaluated.empty());
    }
}

TEST(FormulaValues, AreRightOnEveryShortFormula) {
  const auto all_right = [](Network& network, std::size_t up_to, const std::string& values,
                            const std::string& unary, const std::string& binary) {
    for (std::size_t length = 1; length <= up_to; ++length)
      for (const std::string& formula : formulas(length, values, unary, binary))
        ASSERT_TRUE(network.right(formula)) << formula;
  };
  Network boolean({"boolean"}), ring({"mod3"});
  all_right(boolean, 9, "01", "!", "&|");
  all_right(ring, 7, "012", "", "+*");
}

TEST(FormulaValues, AreRightOnTheShapesThatTakeTheMostRounds) {
  Network network({"boolean"});
  for (int t = 0; t <= 12; ++t) EXPECT_TRUE(network.right(slow_tree(t))) << t;
  for (const std::size_t count : {2u, 3u, 47u, 48u, 64u, 65u, 300u}) {
    EXPECT_TRUE(network.right(times("1", count) + times("&", count - 1))) << count;
    EXPECT_TRUE(network.right("0" + times("1|", count))) << count;
    EXPECT_TRUE(network.right("1" + times("!", count))) << count;
    EXPECT_TRUE(network.right(times("1", count) + times("!&", count - 1))) << count;
    EXPECT_TRUE(network.right("0" + times("1!1|&!", count / 2))) << count;
  }
  for (int depth = 0; depth <= 8; ++depth) EXPECT_TRUE(network.right(complete_tree(depth)));
  EXPECT_TRUE(network.right("1" + times("!", 1216)));
}

TEST(FormulaValues, NeedTwoSquaresARound) {
  Network one_square({"boolean", 1});
  EXPECT_TRUE(one_square.right(slow_tree(9)));
  EXPECT_EQ(slow_tree(10).size(), 463u);
  EXPECT_FALSE(one_square.right(slow_tree(10)));
}

/// A formula with one letter changed, as often as not.
RC_GTEST_PROP(FormulaValues, AreRightOnLongFormulasAndNearMisses, ()) {
  static Network networks[] = {Network({"boolean"}), Network({"mod2"}), Network({"mod5"})};
  Network& network = networks[*rc::gen::inRange<std::size_t>(0, 3)];
  const auto letters = static_cast<Letter>(network.model.alphabet.size());
  std::vector<Letter> values, unary, binary;
  for (Letter i = 0; i < letters; ++i) {
    const std::string& name = network.model.alphabet[i];
    (name == "!"                                                ? unary
     : name == "&" || name == "|" || name == "+" || name == "*" ? binary
                                                                : values)
        .push_back(i);
  }
  Word word;
  std::size_t stack = 0;
  const auto size = *rc::gen::inRange<std::size_t>(1, 60);
  for (std::size_t i = 0; i < size || stack > 1; ++i) {
    const auto choice = *rc::gen::inRange(0, 5);
    if (stack > 1 && (choice < 2 || i >= size)) {
      word.push_back(*rc::gen::elementOf(binary));
      --stack;
    } else if (stack > 0 && choice == 2 && !unary.empty()) {
      word.push_back(unary.front());
    } else {
      word.push_back(*rc::gen::elementOf(values));
      ++stack;
    }
  }
  if (*rc::gen::arbitrary<bool>())
    word[*rc::gen::inRange<std::size_t>(0, word.size())] = *rc::gen::inRange<Letter>(0, letters);
  RC_ASSERT(network.right(word));
}

TEST(FormulaValues, AreWhatTheInterpreterSaysCellByCell) {
  for (const auto& [algebra, text] :
       {std::pair("boolean", "11!0||1&01&!|"), std::pair("boolean", "&1|!0!!"),
        std::pair("boolean", ""), std::pair("mod3", "12+2*1+21**+0"),
        std::pair("mod3", "12+20**12+2*1++")}) {
    const Network network({algebra});
    EXPECT_FALSE(
        first_difference(formula_value({algebra}), network.model,
                         support::letter_names(network.oracle->alphabet(), network.word(text)))
            .value())
        << text;
  }
}

TEST(FormulaValues, AreRefusedForOtherAlgebrasAndOtherLetters) {
  EXPECT_EQ(support::refusal<InputError>([] { (void)formula_value({"mod8"}); }),
            "--algebra mod8: expected boolean, or mod2 to mod7");
  const auto oracle = [](std::vector<std::string> letters, const std::string& algebra) {
    return support::refusal<InputError>(
        [&] { (void)make_formula_oracle(Alphabet(std::move(letters)), algebra); });
  };
  EXPECT_EQ(oracle({"0", "1", "2"}, "boolean"),
            "formula:boolean: expected letters of it, found 2 in the alphabet");
  EXPECT_EQ(oracle({"0", "1", "("}, "mod2"),
            "formula:mod2: expected letters of it, found ( in the alphabet");
  EXPECT_EQ(oracle({"0"}, "mod1"),
            "formula:mod1: expected formula:boolean, or formula:mod and a number of at least 2");
  EXPECT_EQ(oracle({"0"}, "real"),
            "formula:real: expected formula:boolean, or formula:mod and a number of at least 2");
}

}}  // namespace logdepth::formula_value_tests
