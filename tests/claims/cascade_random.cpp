// Cascades of random automata, and of automata with a group that is not solvable somewhere between
// levels that are.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "objects/holonomy.hpp"
#include "objects/named_monoids.hpp"
#include "tests/support/cascades.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/words.hpp"

namespace logdepth::cascade_random_tests {
namespace {

using support::automaton_of;
using support::cascade_forms;
using support::compile_cascade;
using support::dependent_product;
using support::Language;
using support::language_of;
using support::memory_of;
using support::Recogniser;

enum class Maps { any, permutations, monotone, sparse };

Dfa random_automaton(std::mt19937_64& random, Maps kind, std::size_t states, std::size_t letters) {
  std::vector<Transformation> maps(letters, identity_transformation(states));
  for (Transformation& map : maps) {
    if (kind == Maps::permutations) {
      std::shuffle(map.begin(), map.end(), random);
      continue;
    }
    for (State& image : map)
      if (kind != Maps::sparse || random() % 3 == 0) image = static_cast<State>(random() % states);
    if (kind == Maps::monotone) std::sort(map.begin(), map.end());
  }
  return automaton_of(maps, static_cast<State>(random() % states));
}

/// Short words and long ones, mostly of one letter or of all.
testing::AssertionResult agrees_on_some(Recogniser& recogniser, const Language& language,
                                        std::mt19937_64& random, std::size_t longest) {
  const std::size_t letters = language.action.alphabet.size();
  testing::AssertionResult result = testing::AssertionSuccess();
  support::for_each_word(letters, 3, [&](const Word& word) {
    if (result) result = agrees(recogniser, language, word);
  });
  for (std::size_t i = 0; i < 4 && result; ++i) {
    Word word = support::random_word(random, letters, random() % (longest + 1));
    const auto most = static_cast<Letter>(random() % letters);
    for (Letter& letter : word)
      if (i % 2 == 1 && random() % 8 != 0) letter = most;
    result = agrees(recogniser, language, word);
  }
  return result;
}

TEST(CascadeOfARandomAutomaton, FollowsItsStates) {
  std::mt19937_64 random(laws::seed());
  const auto forms = cascade_forms();
  std::size_t scanned = 0, turn = 0;
  for (const Maps kind : {Maps::any, Maps::permutations, Maps::monotone, Maps::sparse})
    for (std::size_t i = 0; i < 60; ++i) {
      const std::size_t states = 2 + i % 5, letters = 1 + random() % 3;
      const Language language = language_of(random_automaton(random, kind, states, letters));
      Recogniser recogniser(compile_cascade(language.action, forms[turn++ % forms.size()]));
      scanned += recogniser.model().shape.repeated;
      ASSERT_TRUE(agrees_on_some(recogniser, language, random, 80)) << language.name;
    }
  EXPECT_GE(scanned, 5u);
}

// --- a level that is scanned ---------------------------------------------------------------------

/// A5 on five points; c keeps, or is what is given.
Dfa five_points(const Transformation& c = identity_transformation(5)) {
  std::vector<Transformation> letters = named_monoid("A5").generators;
  letters.push_back(c);
  return automaton_of(letters);
}
constexpr Letter kKeep = 2;

struct Placed {
  std::string name;
  Dfa dfa;
  std::size_t by_holonomy;      ///< levels
  std::size_t levels, scanned;  ///< of the cascade; which of them
  Shape fine, first_flag;
};

std::vector<Placed> automata_with_a_level_that_is_scanned() {
  const Dfa A5 = five_points(), pairs = five_points({0, 0, 1, 1, 1});
  const Dfa bit = automaton_of({{0, 0}, {1, 1}, {0, 1}});     // a and b set it, c keeps
  const Dfa parity = automaton_of({{1, 0}, {0, 1}, {0, 1}});  // of a
  // a and b act on 0..4 and on 5..9 alike; c leads from 0..4 to 5..9, and from there to 5.
  std::vector<Transformation> twice = named_monoid("A5").generators;
  for (Transformation& map : twice)
    for (State q = 0; q < 5; ++q) map.push_back(map[q] + 5);
  twice.push_back({5, 6, 7, 8, 9, 5, 5, 5, 5, 5});
  const auto bent = [](State p, Letter) { return static_cast<Letter>(p); };
  return {
      {"A5 moves by the last bit", dependent_product(bit, A5, bent), 2, 2, 1, {2, 1, 1}, {3, 1, 1}},
      {"A5 rests where the last two letters are equal",
       dependent_product(memory_of(2), A5,
                         [](State p, Letter a) { return p == 0 || p == 3 ? kKeep : a; }),
       3,
       3,
       2,
       {3, 1, 1},
       {4, 1, 1}},
      {"A5 above pairs that are swapped", pairs, 2, 2, 0, {0, 1, 5}, {1, 1, 6}},
      {"A5 between the last bit and pairs",
       dependent_product(bit, pairs, [](State p, Letter a) { return a == 2 ? a : Letter{p}; }),
       3,
       3,
       1,
       {2, 1, 5},
       {3, 1, 6}},
      {"A5 and a parity in one level",
       dependent_product(A5, parity, [](State p, Letter) { return p < 2 ? Letter{0} : kKeep; }),
       1,
       1,
       0,
       {0, 1, 1},
       {1, 1, 1}},
      {"A5 above A5", automaton_of(twice), 2, 1, 0, {0, 1, 1}, {1, 1, 1}}};
}

TEST(CascadeWithALevelThatIsScanned, HasConstantLayersAboveAndBelowAndFollowsTheStates) {
  std::mt19937_64 random(laws::seed());
  for (const Placed& placed : automata_with_a_level_that_is_scanned()) {
    const Language language = language_of(placed.dfa);
    EXPECT_EQ(to_cascade(decompose(placed.dfa)).levels.size(), placed.by_holonomy) << placed.name;
    const CascadeTask task = cascade_of(language.action);
    EXPECT_EQ(task.cascade.levels.size(), placed.levels) << placed.name;
    EXPECT_EQ(task.scanned, placed.scanned) << placed.name;
    for (const support::CascadeForm& form : cascade_forms())
      for (const ScanTable table : {ScanTable::automatic, ScanTable::matrix}) {
        Recogniser recogniser(compile_cascade(language.action, {form.positions, form.norm, table}));
        EXPECT_EQ(recogniser.model().shape,
                  form.positions == ScanPositions::fine ? placed.fine : placed.first_flag)
            << placed.name;
        ASSERT_TRUE(agrees_on_some(recogniser, language, random, 60)) << placed.name;
      }
  }
}

}  // namespace
}  // namespace logdepth::cascade_random_tests
