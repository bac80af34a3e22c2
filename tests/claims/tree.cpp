// The tree construction against oracles: verdicts, every prefix product, every contract.
#include <gtest/gtest.h>

#include <random>

#include "compiler/passes/schedule.hpp"
#include "compiler/program/program_text.hpp"
#include "tests/support/cell_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/tree_forms.hpp"
#include "tests/support/words.hpp"

namespace logdepth::tree_tests {
namespace {

using support::compile_tree;
using support::for_each_word;
using support::Language;
using support::Recogniser;
using support::TreeForm;

/// Every word of at most `longest` letters, the empty one first; stops at the first disagreement.
void check_every_word(const Language& language, const TreeForm& form, std::size_t longest) {
  Recogniser recogniser(compile_tree(language.action, form));
  for_each_word(language.action.alphabet.size(), longest, [&](const Word& word) {
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
  });
}

TEST(Tree, DecidesSmallLanguagesOnEveryShortWordAndYieldsTheirPrefixProducts) {
  for (const Language& language : support::small_languages())
    for (const TreeForm& form : support::tree_forms())
      ASSERT_NO_FATAL_FAILURE(
          check_every_word(language, form, language.action.alphabet.size() == 1 ? 33 : 6))
          << language.name;
}

TEST(Tree, MultipliesInMonoidsOnEveryShortWord) {
  for (const auto& [name, longest] : {std::pair<const char*, std::size_t>{"Z2", 33},
                                      {"flipflop", 6},
                                      {"Z6", 33},
                                      {"S3", 6},
                                      {"V4", 5},
                                      {"T2", 6}})
    for (const TreeForm& form : support::tree_forms())
      ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem(name), form, longest)) << name;
}

TEST(Tree, MultipliesInA5AndS5AndT3OnEveryShortWord) {
  for (const char* name : {"A5", "S5", "T3"})
    ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem(name), {}, 5)) << name;
  const TreeForm elements{ScanTable::monoid, Norm::layernorm, false};
  ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem("A5"), elements, 3));
}

TEST(Tree, DecidesThemWhenPaddedToTheStrictWidth) {
  for (const Norm norm : {Norm::rms, Norm::layernorm}) {
    const TreeForm form{ScanTable::automatic, norm, true};
    ASSERT_NO_FATAL_FAILURE(check_every_word(support::word_problem("S3"), form, 5));
  }
}

TEST(Tree, IsRightAtEveryLength) {
  std::mt19937_64 random(laws::seed());
  for (const Language& language : {support::word_problem("S3"), support::word_problem("T2"),
                                   support::word_problem("flipflop"), support::tomita(4)})
    for (const TreeForm& form : support::tree_forms()) {
      Recogniser recogniser(compile_tree(language.action, form));
      const std::size_t letters = language.action.alphabet.size();
      for (std::size_t length = 7; length <= 33; ++length)
        ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, letters, length)))
            << form.name() << ", " << length << " letters";
      for (const std::size_t length : {63, 64, 65})
        ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, letters, length)))
            << form.name() << ", " << length << " letters";
    }
}

TEST(Tree, AgreesOnRandomAutomata) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t letters = 1 + random() % 4;
    const Language language = support::random_automaton(random, 2 + i % 5, letters);
    const TreeForm form{ScanTable::automatic, i % 2 ? Norm::rms : Norm::layernorm, i % 3 == 0};
    Recogniser recogniser(compile_tree(language.action, form));
    for (std::size_t word = 0; word < 3; ++word)
      ASSERT_TRUE(
          agrees(recogniser, language, support::random_word(random, letters, random() % 40)))
          << form.name();
  }
}

TEST(Tree, HoldsWhatItsProgramMeansInEveryCellAfterEverySublayer) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"Z2", "S3", "flipflop", "T3"})
    for (const TreeForm& form : support::tree_forms()) {
      const Language language = support::word_problem(name);
      const Program program =
          regular_language_tree_MS25_thm4_1(language.action, name, {form.table});
      ASSERT_EQ(parse_program(print_program(program), "printed"), program);
      const Model model = compile_tree(language.action, form);
      for (const std::size_t length : {0u, 1u, 8u, 13u}) {
        const Word word = support::random_word(random, language.action.alphabet.size(), length);
        ASSERT_EQ(support::difference_on(support::letter_names(language.action.alphabet, word),
                                         program, model),
                  "")
            << form.name();
      }
    }
}

TEST(Tree, LeavesTheFirstLetterFirst) {
  // a = (0 1 2), b = (0 1 2 3 4) as lists of images.
  Recogniser recogniser(compile_tree(support::word_problem("A5").action));
  EXPECT_EQ(recogniser.ask({0, 1, 0}).prefixes,
            (std::vector<Transformation>{{1, 2, 0, 3, 4}, {2, 3, 1, 4, 0}, {0, 3, 2, 4, 1}}));
}

}  // namespace
}  // namespace logdepth::tree_tests
