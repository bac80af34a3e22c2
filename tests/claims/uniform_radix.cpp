// The uniform radix construction against oracles: verdicts, every prefix product, every contract.
#include <gtest/gtest.h>

#include <random>

#include "compiler/passes/schedule.hpp"
#include "compiler/program/program_text.hpp"
#include "tests/support/cell_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/uniform_radix_forms.hpp"
#include "tests/support/words.hpp"

namespace logdepth::uniform_radix_tests {
namespace {

using support::compile_uniform_radix;
using support::for_each_word;
using support::Language;
using support::Recogniser;
using support::UniformRadixForm;

/// Radix and layers of the block.
using Sizes = std::pair<unsigned, unsigned>;
constexpr Sizes kSizes[] = {{2, 2}, {2, 3}, {3, 2}, {3, 3}, {4, 2}, {4, 3}, {8, 2}, {2, 4}};

/// Up to this many units a table is quick to compile.
bool is_small(const Action& action, const UniformRadixForm& form) {
  const ProductForecast forecast =
      forecast_uniform_radix(action, {form.radix, form.block, form.table});
  const std::size_t units =
      form.table == ScanTable::matrix ? forecast.matrix_units : *forecast.monoid_units;
  return units <= 3000;
}

/// Every word of at most `longest` letters, the empty one first; stops at the first disagreement.
void check_every_word(const Language& language, const UniformRadixForm& form, std::size_t longest) {
  Recogniser recogniser(compile_uniform_radix(language.action, form));
  for_each_word(language.action.alphabet.size(), longest, [&](const Word& word) {
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
  });
}

TEST(UniformRadix, DecidesSmallLanguagesOnEveryShortWordAndYieldsTheirPrefixProducts) {
  for (const Language& language : support::small_languages())
    for (const auto& [radix, block] : {Sizes{2, 2}, {3, 2}, {2, 3}})
      for (const UniformRadixForm& form : support::uniform_radix_forms(radix, block)) {
        if (!is_small(language.action, form)) continue;
        ASSERT_NO_FATAL_FAILURE(
            check_every_word(language, form, language.action.alphabet.size() == 1 ? 20 : 5))
            << language.name;
      }
}

TEST(UniformRadix, MultipliesInMonoidsOnEveryShortWord) {
  for (const auto& [name, longest] : {std::pair<const char*, std::size_t>{"Z2", 33},
                                      {"flipflop", 4},
                                      {"Z6", 20},
                                      {"S3", 6},
                                      {"V4", 4},
                                      {"T2", 5}})
    for (const auto& [radix, block] : {Sizes{2, 2}, {2, 3}, {3, 2}, {3, 3}})
      for (const UniformRadixForm& form : support::uniform_radix_forms(radix, block)) {
        const Language language = support::word_problem(name);
        if (!is_small(language.action, form)) continue;
        ASSERT_NO_FATAL_FAILURE(check_every_word(language, form, longest)) << name;
      }
}

TEST(UniformRadix, MultipliesInA5AndT3OnEveryShortWord) {
  for (const char* name : {"A5", "T3"})
    for (const auto& [radix, block] : {Sizes{2, 2}, {3, 2}, {4, 2}})
      ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem(name), {radix, block}, 5))
          << name;
}

TEST(UniformRadix, DecidesThemWhenPaddedToTheStrictWidth) {
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    const UniformRadixForm form{3, 2, ScanTable::automatic, norm, true};
    ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem("S3"), form, 5));
  }
}

TEST(UniformRadix, IsRightAroundThePowersOfEveryRadixAndBlockUpToAHundredLetters) {
  std::mt19937_64 random(laws::seed());
  std::size_t turn = 0;
  for (const char* name : {"S3", "T2"})
    for (const auto& [radix, block] : kSizes) {
      const Language language = support::word_problem(name);
      const UniformRadixForm form{radix, block, ScanTable::automatic,
                                  turn++ % 2 ? Norm::rms : Norm::layernorm, false};
      Recogniser recogniser(compile_uniform_radix(language.action, form));
      for (const std::size_t length :
           {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 27, 28, 63, 64, 65, 81, 82, 100})
        ASSERT_TRUE(agrees(recogniser, language,
                           support::random_word(random, language.action.alphabet.size(), length)))
            << form.name() << ", " << length << " letters";
    }
}

TEST(UniformRadix, AgreesOnRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t letters = 1 + random() % 4;
    const Language language = support::random_automaton(random, 2 + i % 4, letters);
    const auto& [radix, block] = kSizes[i % 5];
    const UniformRadixForm form{radix, block, ScanTable::automatic,
                                i % 2 ? Norm::rms : Norm::layernorm, i % 3 == 0};
    Recogniser recogniser(compile_uniform_radix(language.action, form));
    for (std::size_t word = 0; word < 2; ++word)
      ASSERT_TRUE(
          agrees(recogniser, language, support::random_word(random, letters, random() % 40)))
          << form.name();
  }
}

TEST(UniformRadix, HoldsWhatItsProgramMeansInEveryCellAfterEverySublayer) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"Z2", "S3", "T2"})
    for (const auto& [radix, block] : {Sizes{2, 2}, {3, 2}, {2, 4}, {3, 3}})
      for (const UniformRadixForm& form : support::uniform_radix_forms(radix, block)) {
        const Language language = support::word_problem(name);
        if (!is_small(language.action, form)) continue;
        const Program program = regular_language_uniform_radix_MS25_cor4_2(
            language.action, name, {radix, block, form.table});
        ASSERT_EQ(parse_program(print_program(program), "printed"), program);
        const Model model = compile_uniform_radix(language.action, form);
        for (const std::size_t length : {0u, 1u, 11u}) {
          const Word word = support::random_word(random, language.action.alphabet.size(), length);
          ASSERT_EQ(support::difference_on(support::letter_names(language.action.alphabet, word),
                                           program, model),
                    "")
              << form.name();
        }
      }
}

}  // namespace
}  // namespace logdepth::uniform_radix_tests
