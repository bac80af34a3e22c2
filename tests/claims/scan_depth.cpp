// The depth of the scan construction: one layer per doubling, no fewer, and unrolled models.
#include <gtest/gtest.h>

#include <random>

#include "compiler/file/measure.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::scan_depth_tests {
namespace {

using support::compile_scan;
using support::doublings_to_reach;
using support::Language;
using support::Recogniser;
using support::ScanForm;

constexpr ScanPositions kCodes[] = {ScanPositions::two_circle, ScanPositions::circle,
                                    ScanPositions::first_flag};

ScanForm form_with(ScanPositions positions, std::optional<std::uint64_t> unroll = std::nullopt) {
  ScanForm form;
  form.positions = positions;
  form.unroll = unroll;
  return form;
}

Model with_loops(Model model, std::size_t loops) {
  model.unroll = {Unroll::Kind::fixed, 0, static_cast<std::uint32_t>(loops), std::nullopt};
  return model;
}

/// a b b ... b: what is lost with the first letter shows in the parity of a.
Word one_a_then_b(std::size_t length) {
  Word word(length, 1);
  word[0] = 0;
  return word;
}

TEST(ScanDepth, IsTheCeilingOfTheLogarithmWithOneInitialLayerForTheFirstFlag) {
  for (const ScanPositions positions : kCodes) {
    const Model model = compile_scan(support::word_problem("A5").action, form_with(positions));
    const std::size_t initial = positions == ScanPositions::first_flag ? 1 : 0;
    EXPECT_EQ(model.shape, (Shape{static_cast<std::uint32_t>(initial), 1, 0}));
    for (const std::size_t letters : support::lengths_around_powers(40)) {
      const Measures m = measure(model, letters);
      EXPECT_EQ(m.loops, doublings_to_reach(letters)) << letters;
      EXPECT_EQ(m.depth, doublings_to_reach(letters) + initial) << letters;
    }
    EXPECT_EQ(measure(model, 1024).depth, 10 + initial);
  }
}

TEST(ScanDepth, IsWhatTheRunExecutes) {
  for (const ScanPositions positions : kCodes) {
    const Language parity = support::regex_language("b*(ab*ab*)*", "ab");
    Recogniser recogniser(compile_scan(parity.action, form_with(positions)));
    const std::size_t initial = positions == ScanPositions::first_flag ? 1 : 0;
    for (const std::size_t letters : support::lengths_around_powers(6))
      EXPECT_EQ(recogniser.ask(Word(letters, 0)).layers, doublings_to_reach(letters) + initial);
  }
}

TEST(ScanDepth, OneLoopFewerForgetsTheFirstLetterJustBeyondEveryPower) {
  const Language parity = support::regex_language("b*(ab*ab*)*", "ab");
  for (const ScanPositions positions : kCodes) {
    const Model model = compile_scan(parity.action, form_with(positions));
    for (std::size_t k = 0; k <= 7; ++k) {
      const std::size_t power = std::size_t{1} << k;
      const Word word = one_a_then_b(power + 1);
      Recogniser enough(with_loops(model, k + 1));
      EXPECT_TRUE(agrees(enough, parity, word)) << k;

      Recogniser fewer(with_loops(model, k));
      const support::Answer answer = fewer.ask(word);
      ASSERT_TRUE(answer.accepts.has_value());
      EXPECT_NE(*answer.accepts, parity.member(word)) << k;
      const auto expected = support::products(parity.action, word);
      for (std::size_t i = 0; i < power; ++i) EXPECT_EQ(answer.prefixes[i], expected[i]) << k;
      EXPECT_NE(answer.prefixes[power], expected[power]) << k;
    }
  }
}

TEST(ScanDepth, OneLoopFewerIsWrongOnA5Too) {
  const Language a5 = support::word_problem("A5");
  const Model model = compile_scan(a5.action);
  for (std::size_t k = 0; k <= 6; ++k) {
    const Word word((std::size_t{1} << k) + 1, 1);
    Recogniser fewer(with_loops(model, k));
    EXPECT_FALSE(agrees(fewer, a5, word)) << k;
    Recogniser enough(with_loops(model, k + 1));
    EXPECT_TRUE(agrees(enough, a5, word)) << k;
  }
}

TEST(ScanDepth, MoreLoopsThanNeededAreHarmless) {
  std::mt19937_64 random(laws::seed());
  for (const ScanPositions positions : kCodes)
    for (const Language& language :
         {support::word_problem("A5"), support::word_problem("flipflop"), support::tomita(4)}) {
      const Model model = compile_scan(language.action, form_with(positions));
      for (const std::size_t extra : {1u, 2u, 5u})
        for (const std::size_t letters : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 17u, 33u}) {
          Recogniser more(with_loops(model, doublings_to_reach(letters) + extra));
          EXPECT_TRUE(
              agrees(more, language,
                     support::random_word(random, language.action.alphabet.size(), letters)))
              << extra;
        }
    }
}

TEST(ScanUnrolled, AgreesWithTheLoopedModelAtEveryLengthAndRefusesBeyond) {
  std::mt19937_64 random(laws::seed());
  const Language language = support::word_problem("S3");
  for (const ScanPositions positions : kCodes)
    for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 9u, 31u, 33u}) {
      Recogniser looped(compile_scan(language.action, form_with(positions)));
      Recogniser unrolled(compile_scan(language.action, form_with(positions, size)));
      for (std::size_t letters = 0; letters <= size; ++letters) {
        const Word word = support::random_word(random, 2, letters);
        EXPECT_TRUE(agrees(unrolled, language, word)) << size;
        const support::Answer a = looped.ask(word), b = unrolled.ask(word);
        EXPECT_EQ(a.accepts, b.accepts);
        EXPECT_EQ(a.prefixes, b.prefixes);
      }
      for (const std::size_t beyond : {size + 1, 2 * size + 2}) {
        const auto stream = unrolled.runner().run_word(
            support::letter_names(language.action.alphabet, Word(beyond, 0)));
        ASSERT_FALSE(stream.has_value()) << size;
        EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
      }
    }
}

TEST(ScanUnrolled, DecidesEveryShortWord) {
  for (const auto norm : {Norm::rms, Norm::layernorm}) {
    ScanForm form = form_with(ScanPositions::two_circle, 7);
    form.norm = norm;
    for (const Language& language : {support::tomita(3), support::bounded_dyck(2)}) {
      Recogniser recogniser(compile_scan(language.action, form));
      support::for_each_word(
          2, 7, [&](const Word& word) { EXPECT_TRUE(agrees(recogniser, language, word)); });
    }
  }
}

TEST(ScanUnrolled, HasOneLayerPerDoublingAndNoLoop) {
  for (const ScanPositions positions : kCodes)
    for (const std::size_t size : {0u, 1u, 2u, 3u, 8u, 9u, 1024u}) {
      const Model model = compile_scan(support::tomita(1).action, form_with(positions, size));
      const std::size_t layers =
          doublings_to_reach(size) + (positions == ScanPositions::first_flag ? 1 : 0);
      EXPECT_EQ(model.layers.size(), layers);
      for (const std::size_t letters : {std::size_t{0}, size / 2, size}) {
        const Measures m = measure(model, letters);
        EXPECT_EQ(m.repeated * m.loops, 0u);
        EXPECT_EQ(m.depth, layers);
      }
      ASSERT_TRUE(model.unroll.max_length.has_value());
      EXPECT_EQ(*model.unroll.max_length, size);
    }
}

}  // namespace
}  // namespace logdepth::scan_depth_tests
