// The radix construction against oracles: verdicts, every prefix product, every contract.
#include <gtest/gtest.h>

#include <random>

#include "compiler/passes/schedule.hpp"
#include "compiler/program/program_text.hpp"
#include "tests/support/cell_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/radix_forms.hpp"
#include "tests/support/words.hpp"

namespace logdepth::radix_tests {
namespace {

using support::compile_radix;
using support::for_each_word;
using support::Language;
using support::RadixForm;
using support::Recogniser;

constexpr ScanPositions kCodes[] = {ScanPositions::two_circle, ScanPositions::circle,
                                    ScanPositions::first_flag};

/// Every word up to the promised length; stops at the first disagreement.
void check_every_word(const Language& language, const RadixForm& form) {
  Recogniser recogniser(compile_radix(language.action, form));
  for_each_word(language.action.alphabet.size(), form.max_length, [&](const Word& word) {
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
  });
}

class RadixOnEveryShortWord : public testing::TestWithParam<unsigned> {};

TEST_P(RadixOnEveryShortWord, DecidesSmallLanguagesAndYieldsTheirPrefixProducts) {
  for (const Language& language : support::small_languages())
    for (const RadixForm& form :
         support::radix_forms(GetParam(), language.action.alphabet.size() == 1 ? 20
                                          : GetParam() == 2                    ? 6
                                                                               : 5)) {
      // Monoids of up to 15 elements: with four factors a table would have 50 000 units a layer.
      if (form.table == ScanTable::monoid && GetParam() == 4) continue;
      ASSERT_NO_FATAL_FAILURE(check_every_word(language, form)) << language.name;
    }
}

TEST_P(RadixOnEveryShortWord, MultipliesInMonoidsOfTwoAndThreeLetters) {
  for (const auto& [name, longest] : {std::pair<const char*, std::uint64_t>{"flipflop", 5},
                                      {"Z6", 20},
                                      {"S3", 6},
                                      {"V4", 5},
                                      {"T2", 5}})
    for (const RadixForm& form : support::radix_forms(GetParam(), longest))
      ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem(name), form)) << name;
}

TEST_P(RadixOnEveryShortWord, DecidesThemWhenPaddedToTheStrictWidth) {
  for (const ScanPositions positions : kCodes)
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const RadixForm form{GetParam(), 6, positions, ScanTable::automatic, norm, true};
      ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem("S3"), form));
    }
}

INSTANTIATE_TEST_SUITE_P(Radix, RadixOnEveryShortWord, testing::Values(2u, 3u, 4u),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(Radix, MultipliesInA5AndS5AndT3OnEveryShortWord) {
  for (const char* name : {"A5", "S5", "T3"})
    for (const unsigned radix : {2u, 3u, 4u})
      for (const ScanPositions positions : kCodes)
        ASSERT_NO_FATAL_FAILURE(
            check_every_word(support::word_problem(name), {radix, 5, positions}));
}

TEST(Radix, IsRightAtEveryLengthUpToThePromisedOne) {
  std::mt19937_64 random(laws::seed());
  const std::vector<Language> languages = {support::word_problem("S3"), support::word_problem("A5"),
                                           support::word_problem("flipflop"), support::tomita(4)};
  std::size_t turn = 0;
  for (const unsigned radix : {2u, 3u, 4u})
    for (const std::uint64_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 64, 65, 100})
      for (const ScanPositions positions : kCodes)
        for (const Norm norm : {Norm::rms, Norm::layernorm}) {
          const Language& language = languages[turn++ % languages.size()];
          const RadixForm form{radix, size, positions, ScanTable::automatic, norm, false};
          Recogniser recogniser(compile_radix(language.action, form));
          const std::size_t letters = language.action.alphabet.size();
          for (const std::uint64_t length :
               {size, size - std::min<std::uint64_t>(size, 1), size / 2, random() % (size + 1)})
            ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, letters, length)))
                << form.name() << ", " << length << " letters";
        }
}

TEST(Radix, HoldsWhatItsProgramMeansInEveryCellAfterEverySublayer) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"S3", "flipflop", "T3"})
    for (const unsigned radix : {2u, 3u, 4u})
      for (const RadixForm& form : support::radix_forms(radix, 17)) {
        if (form.table == ScanTable::monoid && std::string(name) == "T3" && radix > 2) continue;
        const Language language = support::word_problem(name);
        const Program program = regular_language_radix_MS25_cor4_2(
            language.action, name, {radix, form.max_length, form.positions, form.table});
        ASSERT_EQ(parse_program(print_program(program), "printed"), program);
        const Model model = support::compile_radix(language.action, form);
        const Word word =
            support::random_word(random, language.action.alphabet.size(), form.max_length);
        ASSERT_EQ(support::difference_on(support::letter_names(language.action.alphabet, word),
                                         program, model),
                  "")
            << form.name();
      }
}

TEST(Radix, RefusesLongerWords) {
  const Language language = support::word_problem("S3");
  for (const unsigned radix : {2u, 3u, 5u})
    for (const ScanPositions positions : kCodes)
      for (const std::uint64_t size : {0u, 1u, 2u, 5u, 9u, 28u}) {
        Recogniser recogniser(compile_radix(language.action, {radix, size, positions}));
        EXPECT_TRUE(recogniser.ask(Word(size, 0)).accepts.has_value());
        for (const std::uint64_t beyond : {size + 1, 2 * size + 2}) {
          const auto stream = recogniser.runner().run_word(
              support::letter_names(language.action.alphabet, Word(beyond, 0)));
          ASSERT_FALSE(stream.has_value()) << radix << ' ' << size;
          EXPECT_TRUE(std::holds_alternative<OutsideHypotheses>(stream.refusal()));
        }
      }
}

TEST(Radix, AgreesOnRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t letters = 1 + random() % 4;
    const Language language = support::random_automaton(random, 2 + i % 5, letters);
    const RadixForm form{static_cast<unsigned>(2 + i % 3),
                         random() % 101,
                         kCodes[(i / 3) % 3],
                         ScanTable::automatic,
                         i % 2 ? Norm::rms : Norm::layernorm,
                         false};
    Recogniser recogniser(compile_radix(language.action, form));
    for (const std::uint64_t length : {form.max_length, random() % (form.max_length + 1)})
      ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, letters, length)))
          << form.name();
  }
}

TEST(Radix, KeepsEveryNumberRationalUnderRationalPositionCodes) {
  std::mt19937_64 random(laws::seed());
  const Language language = support::word_problem("A5");
  for (const unsigned radix : {2u, 3u})
    for (const ScanPositions positions : kCodes) {
      Recogniser recogniser(compile_radix(language.action, {radix, 81, positions}));
      ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, 2, 81)));
      const ValuePool& pool = recogniser.runner().arithmetic().pool();
      bool rational = true;
      for (ValueId id = 0; id < pool.size(); ++id) rational = rational && pool[id].is_rational();
      EXPECT_EQ(rational, positions != ScanPositions::first_flag);
    }
}

TEST(Radix, LeavesTheFirstLetterFirstInEveryPlaceOfAProduct) {
  // a = (0 1 2), b = (0 1 2 3 4) as lists of images; three letters in one layer.
  Recogniser recogniser(compile_radix(support::word_problem("A5").action, {3, 3}));
  EXPECT_EQ(recogniser.model().layers.size(), 1u);
  EXPECT_EQ(recogniser.ask({0, 1, 0}).prefixes,
            (std::vector<Transformation>{{1, 2, 0, 3, 4}, {2, 3, 1, 4, 0}, {0, 3, 2, 4, 1}}));
  EXPECT_EQ(recogniser.ask({1, 0, 0}).prefixes[2], (Transformation{0, 1, 3, 4, 2}));
}

}  // namespace
}  // namespace logdepth::radix_tests
