// The cascade construction against oracles: verdicts, the state of every prefix, every contract.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "compiler/program/program_text.hpp"
#include "objects/named_monoids.hpp"
#include "tests/support/cascades.hpp"
#include "tests/support/cell_comparison.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::cascade_tests {
namespace {

using support::automaton_of;
using support::cascade_forms;
using support::CascadeForm;
using support::compile_cascade;
using support::for_each_word;
using support::Language;
using support::language_of;
using support::Recogniser;

/// Every word of at most `longest` letters, the empty one first; stops at the first disagreement.
void check_every_word(Recogniser& recogniser, const Language& language, std::size_t longest) {
  for_each_word(language.action.alphabet.size(), longest, [&](const Word& word) {
    if (testing::Test::HasFatalFailure()) return;
    ASSERT_TRUE(agrees(recogniser, language, word));
  });
}

TEST(Cascade, DecidesSmallLanguagesOnEveryShortWordAndYieldsTheStatesOfTheirPrefixes) {
  for (const Language& language : support::small_languages())
    for (const CascadeForm& form : cascade_forms()) {
      Recogniser recogniser(compile_cascade(language.action, form));
      ASSERT_NO_FATAL_FAILURE(
          check_every_word(recogniser, language, language.action.alphabet.size() == 1 ? 30 : 7))
          << form.name();
    }
}

TEST(Cascade, MultipliesInGroupsAndMonoidsOnEveryShortWord) {
  for (const auto& [name, longest] : {std::pair<const char*, std::size_t>{"Z2", 40},
                                      {"Z3", 40},
                                      {"Z8", 80},
                                      {"Z9", 90},
                                      {"Z11", 60},
                                      {"Z12", 60},
                                      {"flipflop", 5},
                                      {"V4", 6},
                                      {"S3", 7},
                                      {"D4", 7},
                                      {"Q8", 6},
                                      {"A4", 6},
                                      {"S4", 6},
                                      {"Z9_x_Z2", 6},
                                      {"T2", 5}})
    for (const CascadeForm& form : cascade_forms()) {
      const Language language = support::word_problem(name);
      Recogniser recogniser(compile_cascade(language.action, form));
      ASSERT_NO_FATAL_FAILURE(check_every_word(recogniser, language, longest))
          << name << form.name();
    }
}

/// All automata of these letters from any initial state, one for each way to name states and letters.
std::vector<Dfa> all_automata(std::size_t states, std::size_t letters) {
  std::vector<Transformation> maps;
  for_each_word(states, states, [&](const Word& images) {
    if (images.size() == states) maps.push_back(images);
  });
  std::vector<State> order(states);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<State>> orders;
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));

  using Named = std::pair<State, std::vector<Transformation>>;  // initial state, sorted letters
  std::vector<Dfa> automata;
  for_each_word(maps.size(), letters, [&](const Word& chosen) {
    if (chosen.size() != letters || !std::is_sorted(chosen.begin(), chosen.end())) return;
    for (State initial = 0; initial < states; ++initial) {
      Named named{initial, {}};
      for (const Letter map : chosen) named.second.push_back(maps[map]);
      const bool first = std::all_of(orders.begin(), orders.end(), [&](const auto& to) {
        Named renamed{to[initial], {}};
        for (const Transformation& map : named.second) {
          renamed.second.emplace_back(states);
          for (State q = 0; q < states; ++q) renamed.second.back()[to[q]] = to[map[q]];
        }
        std::sort(renamed.second.begin(), renamed.second.end());
        return named <= renamed;
      });
      if (first) automata.push_back(automaton_of(named.second, initial));
    }
  });
  return automata;
}

TEST(Cascade, IsRightForAllAutomataOfAtMostThreeStatesOverTwoLetters) {
  std::mt19937_64 random(laws::seed());
  for (const auto& [states, number] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {2, 10}, {3, 198}}) {
    const std::vector<Dfa> automata = all_automata(states, 2);
    ASSERT_EQ(automata.size(), number);
    for (const Dfa& dfa : automata)
      for (const CascadeForm& form : cascade_forms()) {
        const Language language = language_of(dfa);
        Recogniser recogniser(compile_cascade(language.action, form));
        ASSERT_NO_FATAL_FAILURE(check_every_word(recogniser, language, 5)) << form.name();
        ASSERT_TRUE(agrees(recogniser, language, support::random_word(random, 2, 60)));
        ASSERT_EQ(recogniser.model().shape.repeated, 0u) << language.name;
      }
  }
}

TEST(Cascade, IsRightForRandomAutomataOfFourStatesInConstantDepth) {
  std::mt19937_64 random(laws::seed());
  const auto forms = cascade_forms();
  for (std::size_t i = 0; i < 120; ++i) {
    const Language language = support::random_automaton(random, 4, 2 + i % 2);
    Recogniser recogniser(compile_cascade(language.action, forms[i % forms.size()]));
    ASSERT_NO_FATAL_FAILURE(check_every_word(recogniser, language, 4));
    for (const std::size_t length : {20u, 70u})
      ASSERT_TRUE(agrees(recogniser, language,
                         support::random_word(random, language.action.alphabet.size(), length)));
    ASSERT_EQ(recogniser.model().shape.repeated, 0u) << language.name;
  }
}

/// Words that are hard on some level: mostly letters that keep, one letter only, letters in turn.
std::vector<Word> hostile_words(std::mt19937_64& random, std::size_t letters, std::size_t length) {
  std::vector<Word> words;
  for (Letter a = 0; a < letters; ++a) {
    words.emplace_back(length, a);
    Word rare(length, a);
    for (std::size_t i = 0; i < 3; ++i)
      rare[random() % length] = static_cast<Letter>(random() % letters);
    words.push_back(rare);
  }
  Word turns(length);
  for (std::size_t i = 0; i < length; ++i) turns[i] = static_cast<Letter>(i % letters);
  words.push_back(turns);
  words.push_back(support::random_word(random, letters, length));
  return words;
}

TEST(Cascade, IsRightOnLongWordsThatHardlyChangeAnything) {
  std::mt19937_64 random(laws::seed());
  std::vector<Language> languages = {
      support::regex_language("(a|b|c)*ac*b", "abc"),
      support::regex_language("(a|b|c)*a(a|b|c){3}", "abc"), support::bounded_dyck(3),
      support::word_problem("S4"), support::word_problem("Z9_x_Z2"),
      // Sets and resets, and a letter that does nothing.
      language_of(automaton_of({{1, 1}, {0, 0}, {0, 1}})),
      // S3 with a reset: u G_p, G_p = G_j for most p.
      language_of(automaton_of({{1, 2, 0}, {1, 0, 2}, {0, 0, 0}, {0, 1, 2}}))};
  for (const Language& language : languages)
    for (const CascadeForm& form : cascade_forms()) {
      Recogniser recogniser(compile_cascade(language.action, form));
      for (const Word& word : hostile_words(random, language.action.alphabet.size(), 150))
        ASSERT_TRUE(agrees(recogniser, language, word)) << form.name();
    }
}

TEST(Cascade, IsRightOnThreeHundredLetters) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"T2", "T3", "S4", "Q8", "A5"})
    for (const CascadeForm& form : cascade_forms()) {
      Action action = named_monoid(name);
      action.initial = 0;
      action.accepting.assign(action.points, false);
      action.accepting[0] = true;
      const Language language{name, action, [action](const Word& word) {
                                State state = 0;
                                for (const Letter a : word) state = action.generators[a][state];
                                return state == 0;
                              }};
      Recogniser recogniser(compile_cascade(action, form));
      ASSERT_TRUE(
          agrees(recogniser, language, support::random_word(random, action.alphabet.size(), 300)))
          << form.name();
    }
}

TEST(Cascade, IsRightOnTenThousandLetters) {
  std::mt19937_64 random(laws::seed());
  for (const auto positions : {ScanPositions::first_flag, ScanPositions::fine})
    for (const Language& language :
         {support::word_problem("S3"), support::bounded_dyck(2),
          language_of(automaton_of({{1, 2, 0}, {0, 0, 0}, {0, 1, 2}}))}) {
      Recogniser recogniser(compile_cascade(language.action, {positions}));
      ASSERT_TRUE(agrees(recogniser, language,
                         support::random_word(random, language.action.alphabet.size(), 10000)));
    }
}

TEST(Cascade, NeedsNoLevelWhereNoLetterMovesTheInitialState) {
  // Two states of which the second is the initial one, and the first is not reached.
  const Language still = language_of(automaton_of({{1, 1}, {0, 1}}, 1));
  for (const CascadeForm& form : cascade_forms()) {
    Recogniser recogniser(compile_cascade(still.action, form));
    EXPECT_EQ(recogniser.model().layers.size(), 0u);
    ASSERT_NO_FATAL_FAILURE(check_every_word(recogniser, still, 4));
  }
}

TEST(Cascade, HoldsWhatItsProgramMeansInEveryCellAfterEverySublayer) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"Z3", "Z9", "S3", "T2", "A5"})
    for (const CascadeForm& form : cascade_forms()) {
      const Action action = named_monoid(name);
      const Program program =
          regular_language_cascade_KR65(cascade_of(action), name, {form.positions, form.table});
      ASSERT_EQ(parse_program(print_program(program), "printed"), program);
      const Model model = compile_cascade(action, form);
      for (const std::size_t length : {0u, 1u, 11u}) {
        const Word word = support::random_word(random, action.alphabet.size(), length);
        ASSERT_EQ(
            support::difference_on(support::letter_names(action.alphabet, word), program, model),
            "")
            << form.name();
      }
    }
}

}  // namespace
}  // namespace logdepth::cascade_tests
