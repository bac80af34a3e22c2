// Past temporal logic: networks of formulas against the oracle, which works by definition, and both
// against regular expressions and the cascade of their automata.
#include "constructions/YCA24/past_ltl.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "logdepth/errors.hpp"
#include "oracle/past_ltl_oracle.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::past_ltl_tests { namespace {

using Letters = std::vector<std::string>;
const Letters kLetters = {"a", "b"};

struct Compiled {
  explicit Compiled(const std::string& text, const std::optional<Letters>& letters = kLetters,
                    Norm norm = Norm::rms)
      : formula(parse_past_formula(text, letters)),
        program(past_ltl(formula, text)),
        model(compile(program, {norm, false, std::nullopt}).model),
        oracle(make_past_ltl_oracle(formula, text)) {}

  std::uint64_t depth() const { return measure(model, 1).depth; }

  PastFormula formula;
  Program program;
  Model model;
  std::unique_ptr<LanguageOracle> oracle;
};

void expect_right(const Compiled& compiled, std::size_t up_to, const std::string& text) {
  const auto result = examine_words(compiled.model, *compiled.oracle, {up_to, 20, 60});
  EXPECT_FALSE(result.counterexample) << text;
}

/// A formula with at most so many temporal operators one inside the other.
std::string random_formula(std::mt19937_64& random, int depth, int size) {
  const auto inside = [&](int d) { return random_formula(random, d, size - 1); };
  const std::uint64_t choice = random() % (size == 0 ? 3 : depth == 0 ? 6 : 12);
  switch (choice) {
    case 0:
    case 1:
      return kLetters[choice];
    case 2:
      return random() % 4 == 0 ? "true" : "!a";
    case 3:
      return "(" + inside(depth) + " & " + inside(depth) + ")";
    case 4:
      return "(" + inside(depth) + " | " + inside(depth) + ")";
    case 5:
      return random() % 2 == 0 ? "!" + inside(depth)
                               : "(" + inside(depth) + " -> " + inside(depth) + ")";
    case 6:
    case 7:
      return "Y" + inside(depth - 1);
    case 8:
      return "O" + inside(depth - 1);
    case 9:
      return "H" + inside(depth - 1);
    default:
      return "(" + inside(depth - 1) + " S " + inside(depth - 1) + ")";
  }
}

TEST(PastLtl, DrawnFormulasAreDecidedOnEveryShortWordInAtMostAsManyLayersAsTheirDepth) {
  std::mt19937_64 random(laws::seed());
  std::vector<std::size_t> of_depth(4);
  int as_deep = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string text = random_formula(random, 3, 4);
    const Compiled compiled(text);
    const std::uint32_t depth = compiled.formula.depth(compiled.formula.decides);
    ASSERT_LE(depth, 3u) << text;
    ++of_depth[depth];
    EXPECT_LE(compiled.depth(), depth) << text;  // less where an operand is always true
    as_deep += compiled.depth() == depth;
    expect_right(compiled, i % 10 == 0 ? 8 : 6, text);
  }
  EXPECT_GE(as_deep, 120);
  for (std::size_t depth = 0; depth < 4; ++depth) EXPECT_GE(of_depth[depth], 8u) << depth;
}

/// Formulas with expressions of their languages, the empty word among them or not as written.
const std::vector<std::pair<std::string, std::string>> kLanguages = {
    {"a", "(a|b)*a"},
    {"O a", "b*a(a|b)*"},
    {"H a", "a*"},
    {"Y a", "(a|b)*a(a|b)"},
    {"Y Y b", "(a|b)*b(a|b)(a|b)"},
    {"b S a", "(a|b)*ab*"},
    {"b & Y(b & Y a)", "(a|b)*abb"},
    {"H(b -> Y a)", "(a|ab)*"},
    {"H(a -> !Y a)", "(b|ab)*(a|())"},
    {"O(b & Y O a)", "b*aa*b(a|b)*"},
    {"!O b & O a", "aa*"},
    {"!(true S b)", "a*"}};

TEST(PastLtl, AgreesWithRegularExpressionsAndTheirCascades) {
  for (const auto& language_of : kLanguages) {
    const std::string &text = language_of.first, &expression = language_of.second;
    const Compiled compiled(text);
    const support::Language language = support::regex_language(expression, "ab");
    support::Recogniser network(compiled.model);
    support::Recogniser cascade(
        compile(regular_language_cascade_KR65(cascade_of(language.action), expression), {}).model);
    support::for_each_word(2, 8, [&](const Word& word) {
      const std::string shown = compiled.oracle->alphabet().format_word(word);
      const bool member = language.member(word);
      EXPECT_EQ(compiled.oracle->accepts(word), member) << text << " on '" << shown << "'";
      const support::Answer said = network.ask(word);
      EXPECT_FALSE(said.broken) << *said.broken;
      EXPECT_EQ(said.accepts, member) << text << " on '" << shown << "'";
      EXPECT_EQ(cascade.ask(word).accepts, member) << expression << " on '" << shown << "'";
    });
  }
}

TEST(PastLtl, AGrantIsAnsweredByARequestOfItsOwn) {
  const std::string text = "H(g -> Y(!g S r))";
  const Compiled compiled(text, Letters{"r", "g", "x"}, Norm::layernorm);
  EXPECT_EQ(compiled.depth(), 3u);
  EXPECT_EQ(compiled.program.parameters.at("t1"), "!g S r");
  EXPECT_EQ(compiled.program.parameters.at("t2"), "Y(!g S r)");
  expect_right(compiled, 6, text);
  EXPECT_EQ(parse_past_formula("H(g -> Y(!g S r))", std::nullopt).alphabet.names(),
            (Letters{"g", "r"}));
}

TEST(PastLtl, OperatorsBindAsTheGrammarSays) {
  for (const auto& [text, bracketed] : std::vector<std::pair<std::string, std::string>>{
           {"!a S b & a", "((!a) S b) & a"},
           {"a & b | a -> b -> a", "((a & b) | a) -> (b -> a)"},
           {"a S b S a", "a S (b S a)"},
           {"Y a S O b", "(Y a) S (O b)"},
           {"a <-> b -> a", "a <-> (b -> a)"},
           {"a && b || \"a\"", "(a & b) | a"}}) {
    const PastFormula formula = parse_past_formula(text, kLetters),
                      same = parse_past_formula(bracketed, kLetters);
    EXPECT_EQ(formula.nodes, same.nodes) << text;
    EXPECT_EQ(formula.decides, same.decides) << text;
  }
}

TEST(PastLtl, AFormulaThatDoublesItsOperandsStaysSmall) {
  std::string text = "O a";
  for (int i = 0; i < 40; ++i) text += i % 2 == 0 ? " <-> Y b" : " <-> O a";
  const Compiled compiled(text);
  EXPECT_EQ(compiled.depth(), 1u);
  expect_right(compiled, 6, text);
}

TEST(PastLtl, NetworksAreWhatTheInterpreterSaysCellByCell) {
  std::mt19937_64 random(laws::seed());
  for (const auto& [text, expression] : kLanguages) {
    const Compiled compiled(text);
    for (const std::size_t length : {0u, 1u, 3u, 25u})
      EXPECT_FALSE(first_difference(compiled.program, compiled.model,
                                    support::letter_names(compiled.oracle->alphabet(),
                                                          support::random_word(random, 2, length)))
                       .value())
          << text;
  }
}

TEST(PastLtl, BadFormulasAreRefusedWithThePlace) {
  const auto refused = [](const std::string& text) {
    return support::refusal<InputError>([&] { (void)parse_past_formula(text, kLetters); });
  };
  EXPECT_EQ(refused("a & X b"),
            "formula, character 5: 'X' is an operator of the future; a causal head sees no later "
            "position, expected past operators: Y, O, H, S");
  EXPECT_NE(refused("a U b").find("character 3: 'U' is an operator of the future"),
            std::string::npos);
  EXPECT_EQ(refused(""),
            "formula, character 1: expected a letter (lower case, or in quotation marks), true, "
            "false, !, Y, O, H or '(', found the end");
  EXPECT_EQ(refused("(a & b"), "formula, character 7: expected an operator or ')', found the end");
  EXPECT_EQ(refused("a & c"), "formula, character 5: letter 'c' is not in the alphabet");
  EXPECT_EQ(refused("a b"), "formula, character 3: expected an operator or the end, found 'b'");
  EXPECT_EQ(refused("\"a"), "formula, character 1: the quotation does not end");
  EXPECT_EQ(refused(std::string(2000, '!') + "a"),
            "formula, character 1001: more than 1000 operators one inside the other");
  for (const std::string step : {"a -> ", "a S "}) {  // they bind to the right
    std::string chain;
    for (int i = 0; i < 100000; ++i) chain += step;
    EXPECT_NE(refused(chain + "a").find("more than 1000 operators"), std::string::npos) << step;
  }
  const std::string wide = [] {
    std::string text = "Y a";
    for (int i = 2; i <= 18; ++i) {
      std::string inner = "a";
      for (int k = 0; k < i; ++k) inner = "Y " + inner;
      text += " & (" + inner + " | b)";
    }
    return "O(" + text + ")";
  }();
  EXPECT_NE(support::refusal<SizeLimit>([&] { Compiled compiled(wide); }).find("rules"),
            std::string::npos);
}

}}  // namespace logdepth::past_ltl_tests
