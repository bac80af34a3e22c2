// States of prefixes, in place of products: what a file answers, and what oracles say is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/difference/first_difference.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "constructions/MS25/regular_language_scan_thm4_1.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "proofs-check/check/right_prefixes.hpp"
#include "proofs-check/check/words.hpp"
#include "report/pictures/draw_attention.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::prefix_states_tests {
namespace {

Dfa minimal(const std::string& expression) {
  return minimise(determinise(to_nfa(parse_regex(expression, Alphabet({"a", "b"})))));
}
std::unique_ptr<LanguageOracle> derivatives(const std::string& expression,
                                            const std::vector<std::string>& letters = {"a", "b"}) {
  return make_regex_oracle(parse_regex(expression, Alphabet(letters)));
}

/// The scan of a language, asked for the state that its product leads to from the initial one.
Program scan_of_states(const std::string& expression) {
  Program program = regular_language_scan_MS25_thm4_1(to_action(minimal(expression)), "states",
                                                      {ScanPositions::circle, ScanTable::monoid});
  const PrefixElement element = std::get<PrefixElement>(program.prefix);
  PrefixState prefix{element.cell, {}};
  for (const auto& images : element.elements) prefix.states.push_back(images[0]);
  program.prefix = prefix;
  return program;
}

constexpr const char* kEndsInAbb = "(a|b)*abb";  // four states

PrefixState& states_of(Program& program) {
  return std::get<PrefixState>(program.prefix);
}

void expect_same_language(const std::optional<Dfa>& found, const Dfa& expected) {
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->states(), expected.states()) << "states that no word tells apart";
  const Dfa canonical = minimise(*found);
  EXPECT_EQ(canonical.accepting, expected.accepting);
  EXPECT_EQ(canonical.next, expected.next);
}

TEST(PrefixStates, OraclesKnowTheMinimalAutomatonWithoutTheConstructionsMinimisation) {
  for (const char* expression : {kEndsInAbb, "(a|b)*a(a|b){5}", "(aa|b(ab)*)*",
                                 "!((a|b)*aba(a|b)*)", "(a|b)*", "a&b", "(a*b){3}&!(ab)*"}) {
    SCOPED_TRACE(expression);
    const ParsedRegex regex = parse_regex(expression, Alphabet({"a", "b"}));
    const Nfa nfa = to_nfa(regex);
    const Dfa expected = minimise(determinise(nfa));
    expect_same_language(make_regex_oracle(regex)->minimal_automaton(), expected);
    expect_same_language(make_nfa_oracle(nfa, "")->minimal_automaton(), expected);
  }
  for (const char* name : {"Z6", "S3", "A4", "flipflop", "T3"}) {
    SCOPED_TRACE(name);
    const Action action = named_monoid(name);
    expect_same_language(make_action_oracle(action, name)->minimal_automaton(),
                         to_minimal_dfa(action));
  }
}

TEST(PrefixStates, OraclesMergeTheStatesOfRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  std::size_t merged = 0;
  for (int i = 0; i < 300; ++i) {
    Dfa dfa;
    dfa.alphabet = Alphabet({"a", "b"});
    const std::size_t states = 1 + random() % 9;
    for (std::size_t q = 0; q < states; ++q) dfa.accepting.push_back(random() % 3 == 0);
    for (std::size_t q = 0; q < 2 * states; ++q)
      dfa.next.push_back(static_cast<State>(random() % states));
    const Dfa expected = minimise(dfa);
    expect_same_language(make_action_oracle(to_action(dfa), "")->minimal_automaton(), expected);
    merged += expected.states() < states;
  }
  EXPECT_GT(merged, 100u);
}

TEST(PrefixStates, OraclesThatWouldHaveToLookAtTooMuchKnowNoAutomaton) {
  const std::string expression = "(a|b)*a(a|b){13}";  // 2^14 states
  EXPECT_FALSE(derivatives(expression)->minimal_automaton());
  EXPECT_FALSE(make_nfa_oracle(to_nfa(parse_regex(expression, Alphabet({"a", "b"}))), "")
                   ->minimal_automaton());
}

TEST(PrefixStates, AreThoseOfTheMinimalAutomatonAndAllAreCompared) {
  for (const char* expression : {kEndsInAbb, "(aa|b(ab)*)*", "(a|b)*a(a|b)", "(a|b)*"}) {
    SCOPED_TRACE(expression);
    for (const Norm norm : kNorms) {
      CompileOptions options;
      options.norm = norm;
      const Model model = compile(scan_of_states(expression), options).model;
      const auto oracle = derivatives(expression);
      ExactRuns runs(model);
      WordDomain questions(model, *oracle);
      const auto report = examine_words(runs, questions, {6, 0, 0}, {});
      EXPECT_FALSE(report.counterexample) << expected_text(report.counterexample->finding);
      EXPECT_EQ(report.counts.prefixes, 2u + 2 * 4 + 3 * 8 + 4 * 16 + 5 * 32 + 6 * 64);
      EXPECT_STREQ(questions.prefix_kind(), "state");
      EXPECT_EQ(questions.prefix_note(), "");
    }
  }
}

TEST(PrefixStates, AreNumberedByTheLettersOfTheFileInWhateverOrderTheOracleHasThem) {
  const Model model = compile(scan_of_states(kEndsInAbb)).model;
  const auto oracle = derivatives(kEndsInAbb, {"b", "a"});
  EXPECT_FALSE(examine_words(model, *oracle, {5, 200, 100}).counterexample);
}

TEST(PrefixStates, ThatArePermutedAreRefuted) {
  std::vector<std::uint32_t> permutation = {0, 1, 2, 3};
  const auto oracle = derivatives(kEndsInAbb);
  while (std::next_permutation(permutation.begin(), permutation.end())) {
    Program program = scan_of_states(kEndsInAbb);
    for (std::uint32_t& state : states_of(program).states) state = permutation[state];
    const auto report = examine_words(compile(program).model, *oracle, {4, 0, 0});
    ASSERT_TRUE(report.counterexample);
    const Failure& finding = report.counterexample->finding;
    EXPECT_EQ(property_of(finding), TestedProperty::prefix);
    EXPECT_TRUE(expected_text(finding).starts_with("state after the first "))
        << expected_text(finding);
  }
}

TEST(PrefixStates, OfAnotherAutomatonAreNotComparedAndATestSaysSo) {
  Program program = scan_of_states(kEndsInAbb);
  for (std::uint32_t& state : states_of(program).states) state *= 2;  // 1, 3 and 5 mean nothing
  EXPECT_EQ(states_of(program).count(), 7u);
  const Model model = compile(program).model;
  const auto oracle = derivatives(kEndsInAbb);
  ExactRuns runs(model);
  WordDomain questions(model, *oracle);
  const auto report = examine_words(runs, questions, kWordBounds, {});
  EXPECT_FALSE(report.counterexample);
  EXPECT_EQ(report.counts.prefixes, 0u);
  EXPECT_EQ(questions.prefix_note(),
            "the file reads one of 7 states and the minimal automaton has 4");
  Runner runner(model);
  const auto stream = runner.run_word({"b", "a", "b", "b"});
  ASSERT_TRUE(stream.has_value());
  for (std::uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(runner.prefix(stream.value(), 1 + i).value(), PrefixAnswer(2 * i));
}

TEST(PrefixStates, OfAnOracleWithoutAnAutomatonAreNotComparedAndATestSaysSo) {
  const Model model = compile(scan_of_states("(a|b)*a(a|b)*")).model;
  const auto oracle =
      make_crasp_oracle(parse_crasp("alphabet a b\nsome := #[Q_a] > 0\n", "x"), "x");
  ExactRuns runs(model);
  WordDomain questions(model, *oracle);
  const auto report = examine_words(runs, questions, kWordBounds, {});
  EXPECT_FALSE(report.counterexample);
  EXPECT_EQ(report.counts.prefixes, 0u);
  EXPECT_EQ(questions.prefix_note(), "the oracle has no states");
}

TEST(PrefixStates, WithEqualLogitsAreUndecided) {
  Model model = compile(scan_of_states(kEndsInAbb)).model;
  const std::uint32_t first =
      std::get<StateReadout>(std::get<AcceptOutput>(model.output).prefix).first_row;
  std::erase_if(model.unembedding.entries, [&](const MatrixEntry& e) { return e.row >= first; });
  Runner runner(model);
  const auto stream = runner.run_word({"a"});
  ASSERT_TRUE(stream.has_value());
  const auto answer = runner.prefix(stream.value(), 1);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(describe(answer.refusal()), "undecided: token 1: two states share the largest logit");
  const auto report = examine_words(model, *derivatives(kEndsInAbb), {1, 0, 0});
  ASSERT_TRUE(report.counterexample);
  EXPECT_EQ(expected_text(report.counterexample->finding), "state after the first 1 letter 1");
}

TEST(PrefixStates, AreCertifiedByFloatRuns) {
  const Compiled compiled = compile(scan_of_states(kEndsInAbb));
  Runner exact(compiled.model);
  const std::vector<std::string> word = {"a", "b", "b", "a", "b", "a", "a", "b", "b"};
  const auto tokens = tokens_of(compiled.model, word);
  const auto stream = exact.run(tokens.value());
  FloatRunner floats(compiled.model, compiled.facts, {});
  const auto got = floats.run(tokens.value());
  ASSERT_TRUE(stream.has_value() && got.has_value());
  for (std::size_t token = 1; token <= word.size(); ++token) {
    const auto answer = floats.prefix(got.value(), token);
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer.value().value, exact.prefix(stream.value(), token).value());
    EXPECT_EQ(answer.value().certificate, Certificate::certified);
  }
}

// Without the verdict: only the states tell the two files apart.
TEST(PrefixStates, AreComparedWithTheProgram) {
  const Program program = scan_of_states(kEndsInAbb);
  Program other = program;
  std::swap(states_of(other).states[1], states_of(other).states[2]);
  ASSERT_NE(program.prefix, other.prefix);
  const std::vector<std::string> word = {"a", "b", "b", "a"};
  EXPECT_FALSE(first_difference(program, compile(program).model, word).value());
  const auto difference = first_difference(program, compile(other).model, word).value();
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->cell, "prefix");
}

TEST(PrefixStates, AreWrittenAndReadInBothTextForms) {
  const Program program = scan_of_states(kEndsInAbb);
  const std::string text = print_program(program);
  EXPECT_NE(text.find("prefix state "), std::string::npos);
  EXPECT_EQ(parse_program(text, "x"), program);
  const Model model = compile(program).model;
  const std::string file = write_weights(model);
  EXPECT_NE(file.find("\"prefix\": {\n\"first_row\": 2,\n\"kind\": \"state\",\n\"states\": 4\n}"),
            std::string::npos);
  EXPECT_EQ(parse_weights(file, "x"), model);
}

TEST(PrefixStates, StandUnderTheTokensOfAPictureAndWrongOnesAreRed) {
  Program program = scan_of_states(kEndsInAbb);
  program.parameters["states"] = R"(["start","a","ab","abb"])";
  const std::vector<std::string> word = {"a", "b", "b"};
  for (const bool wrong : {false, true}) {
    if (wrong)  // everything is in state 3 but what was
      for (std::uint32_t& state : states_of(program).states) state = state == 3 ? 0 : 3;
    const Model model = compile(program).model;
    RunReview review;
    const auto oracle = derivatives(kEndsInAbb);
    review.prefixes = RightPrefixes(model, *oracle).of({0, 1, 1});
    ASSERT_TRUE(review.prefixes);
    Runner runner(model);
    const TokenBands bands =
        attention_bands(runner, tokens_of(model, word).value(), std::nullopt, review).value();
    const BandRow& row = bands.results.front();
    EXPECT_EQ(row.label, "state");
    using Texts = std::vector<std::string>;
    if (!wrong) {
      ASSERT_EQ(bands.results.size(), 1u);
      EXPECT_EQ(row.texts, (Texts{"", "a", "ab", "abb"}));
      EXPECT_TRUE(row.wrong.empty());
    } else {
      EXPECT_EQ(row.texts, (Texts{"", "abb", "abb", "start"}));
      EXPECT_EQ(row.wrong, (std::vector<std::size_t>{1, 2, 3}));
      ASSERT_EQ(bands.results.size(), 2u);
      EXPECT_EQ(bands.results[1].texts, (Texts{"", "a", "ab", "abb"}));
      EXPECT_EQ(bands.alarms.front(), "3 states are wrong, the first at token 1");
    }
  }
}

}  // namespace
}  // namespace logdepth::prefix_states_tests
