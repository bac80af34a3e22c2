// The cascade construction against oracles: verdicts, the state of every prefix, every contract.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "compiler/difference/first_difference.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/program/program.hpp"
#include "constructions/KR65/regular_language_cascade.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/holonomy.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/whole_file.hpp"
#include "runtime/floats/float_run.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::cascade_tests { namespace {

using Engine = FloatOptions::Engine;
using support::automaton_of;
using support::cascade_forms;
using support::CascadeForm;
using support::compile_cascade;
using support::dependent_product;
using support::for_each_word;
using support::Language;
using support::language_of;
using support::memory_of;
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
        const auto letters = support::letter_names(action.alphabet, word);
        ASSERT_FALSE(first_difference(program, model, letters).value()) << form.name();
      }
    }
}

// Shapes and sizes of cascades, counted on their files; and which tables are refused.

struct Depths {
  Action action;
  std::uint32_t fine, first_flag;  ///< layers
};

Shape shape_of(const Action& action, ScanPositions positions, Norm norm = Norm::rms) {
  return compile_cascade(action, {positions, norm, ScanTable::automatic}).shape;
}

TEST(CascadeDepth, IsConstantWhereTheGroupsAreSolvable) {
  const auto group = [](const char* name) { return named_monoid(name); };
  const auto regex = [](const char* text) { return support::regex_language(text, "ab").action; };
  const Depths depths[] = {{regex("(a|b)*"), 0, 0},
                           {regex("()"), 1, 2},
                           {group("flipflop"), 1, 2},
                           {group("Z2"), 2, 4},
                           {group("Z5"), 2, 4},
                           {group("Z9"), 2, 4},
                           {group("Z11"), 2, 4},
                           {group("Z12"), 2, 4},
                           {group("V4"), 2, 4},
                           {group("Z2_x_Z3"), 2, 4},
                           {group("S3"), 4, 6},
                           {group("D4"), 4, 6},
                           {group("Q8"), 4, 6},
                           {group("A4"), 4, 6},
                           {group("S4"), 6, 8},
                           {group("T2"), 3, 5},
                           {group("T3"), 9, 11},
                           {regex("(a|b)*abb"), 4, 5},
                           {support::bounded_dyck(2).action, 4, 5},
                           {support::bounded_dyck(4).action, 6, 7},
                           {regex("(a|b)*a(a|b){9}"), 11, 12}};
  for (const Depths& expected : depths)
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      EXPECT_EQ(shape_of(expected.action, ScanPositions::fine, norm), (Shape{expected.fine, 0, 0}))
          << format_transformation(expected.action.generators[0]);
      EXPECT_EQ(shape_of(expected.action, ScanPositions::first_flag, norm),
                (Shape{expected.first_flag, 0, 0}))
          << format_transformation(expected.action.generators[0]);
    }
}

TEST(CascadeDepth, IsOneLayerALevelForARunOfResets) {
  for (std::size_t letters = 2; letters <= 6; ++letters) {
    const Action action = to_action(support::memory_of(letters));
    const auto levels = static_cast<std::uint32_t>(cascade_of(action).cascade.levels.size());
    EXPECT_EQ(levels, letters);
    EXPECT_EQ(shape_of(action, ScanPositions::fine), (Shape{levels + 1, 0, 0}));
    EXPECT_EQ(shape_of(action, ScanPositions::first_flag), (Shape{levels + 2, 0, 0}));
  }
}

TEST(CascadeDepth, IsLogarithmicForAGroupThatIsNotSolvable) {
  for (const char* name : {"A5", "S5"}) {
    // Its products, and its action on five points from one of them.
    for (const bool points : {false, true}) {
      Action action = named_monoid(name);
      if (points) {
        action.initial = 0;
        action.accepting = {true, false, false, false, false};
      }
      EXPECT_EQ(cascade_of(action).scanned, 0u) << name;
      EXPECT_EQ(shape_of(action, ScanPositions::fine), (Shape{0, 1, 1})) << name;
      EXPECT_EQ(shape_of(action, ScanPositions::first_flag), (Shape{1, 1, 1})) << name;
    }
  }
}

TEST(CascadeDepth, IsALittleMoreThanThatOfAScanOfTheWholeAutomatonForFarFewerUnits) {
  const std::string path = support::source_dir() + "/examples/automata/a5_on_repeats.fst";
  const Dfa dfa = minimise(determinise(read_fst(read_whole_file(path), path)));
  EXPECT_EQ(cascade_of(to_action(dfa)).scanned, 2u);
  const Measures cascade = measure(compile_cascade(to_action(dfa)), 100),
                 scan = measure(support::compile_form(to_action(dfa),
                                                      {.positions = ScanPositions::first_flag}),
                                100);
  EXPECT_EQ(scan.depth, 7u + 1);
  EXPECT_EQ(cascade.depth, 7u + 5);
  EXPECT_EQ(scan.units, 8812u);
  EXPECT_EQ(cascade.units, 235u);
}

/// What the construction says when it refuses the automaton.
std::string refusal(const Action& action) {
  return support::refusal<SizeLimit>([&] { compile_cascade(action, {ScanPositions::fine}); });
}

TEST(CascadeShapes, ScanALevelWhoseGroupIsTooLargeToBeListed) {
  Action S8 = named_monoid("S8");
  S8.initial = 0;
  S8.accepting.assign(8, false);
  EXPECT_EQ(shape_of(S8, ScanPositions::fine), (Shape{0, 1, 1}));
}

TEST(CascadeRefusals, NameTheLevelWhoseTableOrModulusIsTooLarge) {
  EXPECT_EQ(
      refusal(named_monoid("Z1009")),
      "level 1 of the cascade counts modulo 1009, which takes as many heads, and the limit is "
      "512; try --construction scan");
  // The symmetries of 300 points in a circle, with a reset: Z2 x Z2 above Z2 x Z3 x Z25. A residue
  // of m has 2m rules, unless a cell holds it: 300 * 2 * 2 * 4 * 6 * 50.
  std::vector<Transformation> letters = named_monoid("D300").generators;
  letters.emplace_back(300, 0);
  EXPECT_EQ(refusal(to_action(support::automaton_of(letters))),
            "level 1 of the cascade: the table 'reset1' has up to 1440000 rules and the limit is "
            "1000000 feed-forward units; try --construction scan");
}

// Cascades of random automata, and of automata with a group that is not solvable somewhere between
// levels that are.

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
      if (states <= 4) {
        ASSERT_EQ(recogniser.model().shape.repeated, 0u) << language.name;
      }
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

// Cascades in floating point: what is certified is right, and in double precision all of it is.

/// Of the verdict and the state of every prefix.
struct Certified {
  std::size_t answers = 0, certified = 0;
};

/// Expects that what is certified is right.
Certified run(const Language& language, const CascadeForm& form, Engine engine, const Word& word) {
  const auto [model, program, facts] = support::compiled_cascade(language.action, form);
  FloatOptions options;
  options.engine = engine;
  FloatRunner runner(model, facts, options);
  const auto tokens = tokens_of(model, support::letter_names(language.action.alphabet, word));
  const FloatStream stream = runner.run(tokens.value()).value();
  Certified counts;
  const auto judge = [&](const auto& answer, const auto& expected, std::size_t letters) {
    ++counts.answers;
    if (!answer.has_value() || answer.value().certificate != Certificate::certified) return;
    ++counts.certified;
    EXPECT_TRUE(answer.value().value == expected)
        << language.name << form.name() << ", after " << letters << " letters";
  };
  judge(runner.accepts(stream, stream.tokens - 1), language.member(word), word.size());
  State state = language.action.initial.value();
  for (std::size_t i = 0; i < word.size(); ++i) {
    state = language.action.generators[word[i]][state];
    judge(runner.prefix(stream, 1 + i), PrefixAnswer(state), i + 1);
  }
  return counts;
}

TEST(CascadeInFloatingPoint, IsRightWhereItIsCertifiedAndInDoublePrecisionItAlwaysIs) {
  std::mt19937_64 random(laws::seed());
  const auto forms = support::cascade_forms();
  std::size_t single = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    const std::size_t letters = 1 + i % 3;
    const Language language = support::random_automaton(random, 2 + i % 4, letters);
    const Word word = support::random_word(random, letters, random() % 200);
    const Certified counts = run(language, forms[i % 4], Engine::float64, word);
    EXPECT_EQ(counts.certified, counts.answers) << language.name << forms[i % 4].name();
    single += run(language, forms[i % 4], Engine::float32, word).certified;
  }
  EXPECT_GT(single, 0u);
}

TEST(CascadeInFloatingPoint, IsCertifiedAtTwoThousandLettersForGroupsWithAnyOrderOfFactors) {
  std::mt19937_64 random(laws::seed());
  for (const char* name : {"Z2", "Z9", "Z11", "S3", "S4", "A5"}) {
    Action action = named_monoid(name);
    action.initial = 0;
    action.accepting.assign(action.points, false);
    const Language language{name, action, [](const Word&) { return false; }};
    const Word word = support::random_word(random, action.alphabet.size(), 2000);
    for (const CascadeForm& form : support::cascade_forms()) {
      const Certified counts = run(language, form, Engine::float64, word);
      EXPECT_EQ(counts.certified, counts.answers) << name << form.name();
    }
  }
}

}}  // namespace logdepth::cascade_tests
