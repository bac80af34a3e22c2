// k-hop induction heads: the construction against hops worked out here and against the oracle.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/passes/compile.hpp"
#include "constructions/SHT24/induction_hops_thm4_2.hpp"
#include "logdepth/errors.hpp"
#include "oracle/induction_hops_oracle.hpp"
#include "tests/support/examined_files.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::induction_hops_tests { namespace {

Model compiled(const HopsOptions& options, Norm norm = Norm::rms) {
  CompileOptions compile_options;
  compile_options.norm = norm;
  return compile(induction_hops(options), compile_options).model;
}

std::unique_ptr<LanguageOracle> oracle_of(const Model& model, std::optional<std::uint64_t> hops) {
  return make_induction_hops_oracle(Alphabet(model.alphabet), hops, "hops");
}

/// The authors' own words for it: `X[:i].rfind(X_i) + 1`, places count from 0, 0 of a bottom letter.
char reached(const std::string& word, std::size_t hops) {
  const std::string text = "_" + word;
  std::size_t place = word.size();
  for (; hops > 0 && place > 0; --hops) {
    const std::size_t last = text.substr(0, place).rfind(text[place]);
    place = last == std::string::npos ? 0 : last + 1;
  }
  return text[place];
}

std::string values_text(const std::vector<std::string>& letters, char reached) {
  std::string text = reached == '_' ? "none=1" : "none=0";
  for (const std::string& letter : letters)
    text += " " + letter + (letter[0] == reached ? "=1" : "=0");
  return text;
}

TEST(InductionHops, TheOracleFindsWhatTheAuthorsSearchInTheTextFinds) {
  const Model model = compiled({HopsForm::fixed, 1, 3});
  for (const std::uint64_t hops : {0, 1, 2, 3, 4, 7, 40}) {
    const auto oracle = oracle_of(model, hops);
    support::for_each_word(3, 7, [&](const Word& word) {
      const std::string text = oracle->alphabet().format_word(word);
      EXPECT_EQ(oracle->named_values(word).value(),
                values_text(model.alphabet, reached(text, hops)))
          << text << ", " << hops;
    });
  }
}

TEST(InductionHops, TakeTwoLayersMoreThanTheLogarithmAndOneHeadALayer) {
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> depths = {
      {1, 2}, {2, 3}, {3, 4}, {4, 4}, {5, 5}, {8, 5}, {9, 6}, {16, 6}, {17, 7}, {1u << 20, 22}};
  for (const auto& [hops, depth] : depths) {
    const Model model = compiled({HopsForm::fixed, hops, 4});
    EXPECT_EQ(measure(model, 1).depth, depth) << hops;
    for (const Layer& layer : model.layers) EXPECT_EQ(layer.attention.heads.size(), 1u) << hops;
  }
  for (const std::uint32_t hops : {1u, 2u, 16u}) {
    const Measures m = measure(compiled({HopsForm::loops, hops, 4}), 1);
    EXPECT_EQ(m.initial, 2u);
    EXPECT_EQ(m.repeated, 1u);
    EXPECT_EQ(m.final, 0u);
    EXPECT_EQ(m.depth, 2 + std::bit_width(hops) - 1) << hops;
  }
  EXPECT_EQ(measure(compiled({HopsForm::token, 16, 4}), 1).depth, 6u);
}

TEST(InductionHops, AreRightOnEveryShortWordUnderBothNorms) {
  for (const std::uint32_t hops : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 16u})
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const bool most = norm == Norm::rms && hops <= 3;
      const Model model = compiled({HopsForm::fixed, hops, 3}, norm);
      const auto result = examine_words(model, *oracle_of(model, hops), {most ? 7u : 5u, 60, 60});
      EXPECT_FALSE(result.counterexample) << hops;
      EXPECT_GT(result.counts.numbers, 300u);
      EXPECT_TRUE(result.unevaluated.empty());
    }
}

TEST(InductionHops, OfAPowerOfTwoAreLoopsOfOneLayer) {
  for (const std::uint32_t hops : {1u, 2u, 4u, 8u, 16u}) {
    const Model model = compiled({HopsForm::loops, hops, 3});
    EXPECT_FALSE(examine_words(model, *oracle_of(model, hops), {6, 60, 60}).counterexample) << hops;
  }
}

TEST(InductionHops, OfATokenAreThoseOfTheNumberWithWhichTheWordBegins) {
  for (const std::uint32_t hops : {1u, 2u, 3u, 4u, 6u, 8u}) {
    const Model model = compiled({HopsForm::token, hops, 2});
    const std::size_t up_to = hops <= 3 ? 5 : 4;
    EXPECT_FALSE(
        examine_words(model, *oracle_of(model, std::nullopt), {up_to, 200, 40}).counterexample)
        << hops;
  }
}

RC_GTEST_PROP(InductionHops, AreRightOnLongWords, ()) {
  struct Network {
    explicit Network(std::uint32_t hops)
        : model(compiled({HopsForm::fixed, hops, 3})),
          oracle(oracle_of(model, hops)),
          questions(model, *oracle),
          runs(model) {}
    Model model;
    std::unique_ptr<LanguageOracle> oracle;
    WordDomain questions;
    ExactRuns runs;
  };
  static Network networks[] = {Network(1), Network(3), Network(6), Network(16), Network(37)};
  Network& network = networks[*rc::gen::inRange<std::size_t>(0, std::size(networks))];
  const auto word = *rc::gen::container<Word>(rc::gen::inRange<Letter>(0, 3));
  ComparedCounts counts;
  RC_ASSERT(!network.runs.ask(network.questions, word, counts));
}

TEST(InductionHops, AreWhatTheInterpreterSaysCellByCell) {
  std::mt19937_64 random(laws::seed());
  for (const HopsOptions& options :
       {HopsOptions{HopsForm::fixed, 5, 3}, HopsOptions{HopsForm::loops, 4, 3},
        HopsOptions{HopsForm::token, 4, 2}}) {
    const Program program = induction_hops(options);
    const Model model = compile(program, {}).model;
    for (const std::size_t length : {0u, 1u, 2u, 9u, 30u})
      EXPECT_FALSE(
          first_difference(
              program, model,
              support::letter_names(Alphabet(model.alphabet),
                                    support::random_word(random, model.alphabet.size(), length)))
              .value());
  }
}

TEST(InductionHops, RefuseNumbersThatHaveNoNetwork) {
  const auto refused = [](const HopsOptions& options) {
    return support::refusal<InputError>([&] { (void)induction_hops(options); });
  };
  EXPECT_EQ(refused({HopsForm::fixed, 0, 4}), "--hops 0: expected a number from 1 to 1048576");
  EXPECT_EQ(refused({HopsForm::token, 65, 4}), "--hops 65: expected a number from 1 to 64");
  EXPECT_EQ(refused({HopsForm::fixed, 2, 27}),
            "--letters 27: expected a number of letters from 1 to 26");
  EXPECT_EQ(refused({HopsForm::loops, 6, 4}),
            "--hops 6: expected a power of two with --form loops, which doubles");
}

}}  // namespace logdepth::induction_hops_tests
