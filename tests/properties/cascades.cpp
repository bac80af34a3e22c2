// Cascades of permutations and resets: the automaton itself is the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "objects/cascade.hpp"
#include "objects/cascade_summary.hpp"
#include "objects/holonomy.hpp"
#include "objects/regex.hpp"
#include "tests/support/automata_of_maps.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/words.hpp"

namespace logdepth::cascades_tests {
namespace {

using support::KindOfMaps;

Dfa of_regex(const std::string& expression) {
  return minimise(determinise(to_nfa(parse_regex(expression))));
}

Cascade cascade_of(const Dfa& dfa) {
  return to_cascade(decompose(dfa));
}

State state_after(const Dfa& dfa, State state, const Word& word) {
  for (const Letter letter : word) state = dfa.step(state, letter);
  return state;
}

/// The set that each chain of coordinates has come to, read off the names of the coordinates.
class NamedSets {
 public:
  explicit NamedSets(const Holonomy& h) : h_(h) {}

  /// From all states down, one set more than levels.
  std::vector<std::set<State>> of(const Cascade& cascade,
                                  const std::vector<std::uint32_t>& coordinates) const {
    std::vector<std::set<State>> sets{states(0)};
    std::uint32_t set = 0;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const std::string& name = cascade.levels[i].coordinates[coordinates[i]];
      EXPECT_EQ(name == "-", h_.height(set) != cascade.levels[i].height) << name;
      if (name != "-") set = h_.tiles[set].at(number(set, name));
      sets.push_back(states(set));
    }
    return sets;
  }

 private:
  std::set<State> states(std::uint32_t set) const {
    const auto all = states_of(h_.sets[set]);
    return {all.begin(), all.end()};
  }
  std::string name_of(std::uint32_t set) const {
    std::string text;
    for (const State q : states(set)) text += (text.empty() ? "" : ",") + std::to_string(q);
    return "{" + text + "}";
  }
  std::size_t number(std::uint32_t set, const std::string& name) const {
    if (name.rfind("tile ", 0) == 0) return std::stoul(name.substr(5));
    const std::uint32_t representative = h_.classes[h_.class_of[set]].members.front();
    for (std::size_t k = 0; k < h_.tiles[representative].size(); ++k) {
      const std::string tile = name_of(h_.tiles[representative][k]);
      if (name == tile || name == tile + " of " + name_of(representative)) return k;
    }
    ADD_FAILURE() << name << " is no tile of " << name_of(representative);
    return 0;
  }

  const Holonomy& h_;
};

void expect_well_formed(const Cascade& cascade) {
  std::size_t contexts = 1;
  for (const CascadeLevel& level : cascade.levels) {
    const std::size_t points = level.coordinates.size();
    EXPECT_GE(points, 2u);
    ASSERT_EQ(level.contexts, contexts);
    ASSERT_EQ(level.next.size(), contexts);
    ASSERT_EQ(level.action.size(), cascade.letters);
    EXPECT_EQ(level.maps.front(), identity_transformation(points));
    EXPECT_EQ(std::set(level.maps.begin(), level.maps.end()).size(), level.maps.size());
    for (const Transformation& map : level.maps) ASSERT_EQ(map.size(), points);
    for (const auto& row : level.action) {
      ASSERT_EQ(row.size(), contexts);
      for (const std::uint32_t map : row) ASSERT_LT(map, level.maps.size());
    }
    // The contexts below are numbered without a gap, that of the empty word first.
    EXPECT_EQ(level.next[0][level.initial], 0u);
    std::multiset<std::uint32_t> below;
    for (const auto& row : level.next) {
      ASSERT_EQ(row.size(), points);
      const std::size_t before = below.size();
      for (const std::uint32_t next : row)
        if (next != kNoContext) below.insert(next);
      EXPECT_GT(below.size(), before);
    }
    EXPECT_EQ(std::set(below.begin(), below.end()).size(), below.size());
    EXPECT_EQ(*below.rbegin(), below.size() - 1);
    EXPECT_GT(below.size(), contexts) << "nothing to know";
    contexts = below.size();
  }
  EXPECT_EQ(cascade.state.size(), contexts);
}

TEST(Cascades, RunAsTheAutomatonDoesAndContextsContainTheImagesOfThoseBefore) {
  std::mt19937_64 random(laws::seed());
  std::size_t groups = 0, several_classes = 0, left_out = 0;
  for (std::size_t i = 0; i < 800; ++i) {
    const Dfa dfa =
        support::random_automaton_of(random, static_cast<KindOfMaps>(i % support::kKindsOfMaps),
                                     2 + random() % 5, 1 + random() % 3);
    const Holonomy holonomy = decompose(dfa);
    const Cascade cascade = to_cascade(holonomy);
    const NamedSets named(holonomy);
    expect_well_formed(cascade);
    for (const CascadeLevel& level : cascade.levels) {
      for (const Transformation& map : level.maps)
        EXPECT_TRUE(is_permutation(map) || is_reset(map)) << format_transformation(map);
      groups += std::count_if(level.maps.begin(), level.maps.end(), is_permutation) > 1;
      several_classes += level.coordinates.back().find(" of ") != std::string::npos;
    }
    const bool all_heights = cascade.levels.size() == holonomy.height(0);
    left_out += !all_heights;
    const auto check = [&](const Word& word) {
      const auto coordinates = coordinates_after(cascade, word);
      const State expected = state_after(dfa, dfa.initial, word);
      ASSERT_EQ(state_of(cascade, coordinates), expected);
      if (!all_heights) return;
      const auto sets = named.of(cascade, coordinates);
      EXPECT_EQ(sets.back(), std::set<State>{expected});
      if (word.empty()) return;
      // Each set contains the image of the one in its place before the last letter.
      const Word shorter(word.begin(), word.end() - 1);
      const auto before = named.of(cascade, coordinates_after(cascade, shorter));
      for (std::size_t k = 0; k < sets.size(); ++k)
        for (const State q : before[k]) ASSERT_TRUE(sets[k].count(dfa.step(q, word.back())));
    };
    support::for_each_word(dfa.alphabet.size(), 6, check);
    for (std::size_t k = 0; k < 20; ++k)
      check(support::random_word(random, dfa.alphabet.size(), random() % 150));
    if (HasFailure()) FAIL() << "automaton " << i;
  }
  EXPECT_GT(groups, 200u);
  EXPECT_GT(several_classes, 5u);
  EXPECT_GT(left_out, 5u);
}

TEST(Cascades, WithSeveralLevelsMergedRunAsBefore) {
  std::mt19937_64 random(laws::seed());
  std::size_t merges = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    const Dfa dfa =
        support::random_automaton_of(random, static_cast<KindOfMaps>(i % support::kKindsOfMaps),
                                     2 + random() % 5, 1 + random() % 3);
    const Cascade cascade = cascade_of(dfa);
    if (cascade.levels.empty()) continue;
    const std::size_t first = random() % cascade.levels.size();
    const std::size_t last = first + random() % (cascade.levels.size() - first);
    const Cascade fewer = merged(cascade, first, last);
    ASSERT_EQ(fewer.levels.size(), cascade.levels.size() - (last - first));
    merges += last > first;
    expect_well_formed(fewer);
    support::for_each_word(dfa.alphabet.size(), 6, [&](const Word& word) {
      ASSERT_EQ(state_of(fewer, coordinates_after(fewer, word)),
                state_after(dfa, dfa.initial, word));
    });
    if (HasFailure()) FAIL() << "automaton " << i;
  }
  EXPECT_GT(merges, 60u);
}

TEST(Cascades, MergedIntoOneLevelHaveAMapForEachLetter) {
  const Cascade t5 = cascade_of(support::automaton_named("T5"));
  const Cascade one = merged(t5, 0, t5.levels.size() - 1);
  ASSERT_EQ(one.levels.size(), 1u);
  EXPECT_EQ(one.levels[0].coordinates.size(), 120u);
  EXPECT_EQ(one.levels[0].maps.size(), 4u);
  EXPECT_EQ(one.levels[0].coordinates.front(), "{0,1,2,3} {0,2,3} {0,3} {0}");
  EXPECT_EQ(one.state, t5.state);
}

std::string levels_of(const Dfa& dfa) {
  return format_levels(summarise(cascade_of(dfa)));
}

TEST(Cascades, OfKnownAutomataHaveTheLevelsFoundByHand) {
  EXPECT_EQ(levels_of(support::automaton_named("T1")), "");
  EXPECT_EQ(levels_of(support::automaton_named("flipflop")),
            "level 1: 2 coordinates {0} {1}, 2 resets, 1 context\n");
  // Depth 0, 1, 2 and the sink are 0, 1, 3 and 2.
  EXPECT_EQ(levels_of(of_regex("(a(ab)*b)*")),
            "level 1: 2 coordinates {0,1,2} {1,2,3}, 2 resets, 1 context\n"
            "level 2: 2 coordinates {1,2} {2,3}, 2 resets, 2 contexts\n"
            "level 3: 2 coordinates {2} {3}, 1 reset, 4 contexts\n");
  EXPECT_EQ(levels_of(support::automaton_named("S3")),
            "level 1: 3 coordinates {0} {1} {2}, 2 permutations of a group of order 6: Z2, Z3, 1 "
            "context\n");
  EXPECT_EQ(levels_of(support::automaton_named("T3")),
            "level 1: 3 coordinates {0,1} {0,2} {1,2}, 1 reset, 2 permutations of a group of order "
            "6: Z2, Z3, 1 context\n"
            "level 2: 2 coordinates {0} {2}, 1 reset, 1 permutation of a group of order 2: Z2, 3 "
            "contexts\n");
  EXPECT_EQ(
      levels_of(support::automaton_named("A5")),
      "level 1: 5 coordinates {0} {1} {2} {3} {4}, 2 permutations of a group of order 60, not "
      "solvable, 1 context\n");
  EXPECT_EQ(cascade_of(of_regex("(a|b)*abb")).levels.size(), 3u);
  EXPECT_EQ(cascade_of(of_regex("(a(a(a(ab)*b)*b)*b)*")).levels.size(), 5u);
}

TEST(Cascades, OfLargeAutomataAreMadeAtOnce) {
  const Cascade window = cascade_of(of_regex("(a|b)*a(a|b){9}"));
  ASSERT_EQ(window.levels.size(), 10u);
  for (const CascadeLevel& level : window.levels) EXPECT_EQ(level.coordinates.size(), 2u);
  EXPECT_EQ(window.state.size(), 1024u);
  EXPECT_EQ(cascade_of(support::automaton_named("T5")).state.size(), 120u);
  EXPECT_EQ(cascade_of(support::automaton_named("Z4000")).state.size(), 4000u);
  // Thirty states in a row, one way.
  Transformation up;
  for (State q = 0; q < 30; ++q) up.push_back(std::min<State>(q + 1, 29));
  const Cascade row = cascade_of(support::automaton_of_maps({up}));
  EXPECT_EQ(row.levels.size(), 29u);
  EXPECT_EQ(row.state.size(), 30u);
  for (const CascadeLevel& level : row.levels) EXPECT_LE(level.coordinates.size(), 3u);
}

TEST(Cascades, BeyondTheirLimitsAreRefusedWithTheLevel) {
  EXPECT_EQ(level_group(cascade_of(support::automaton_named("S7")), 0).order(), 5040u);
  EXPECT_EQ(
      support::limit_of([] { level_group(cascade_of(support::automaton_named("S8")), 0); }),
      "level 1 of the cascade has a group of more than 5040 elements, the limit; try the scan "
      "construction");
  // 9, 9*8, ..., 9*8*7*6*5*4 = 60480 chains, then three times as many.
  EXPECT_EQ(support::limit_of([] { cascade_of(support::automaton_named("T9")); }),
            "level 7 of the cascade has more than 100000 chains of coordinates, the limit; try the "
            "scan construction");
  // Up and down a row each interval has two tiles that overlap: 2^17 chains down to level 17.
  Transformation up, down;
  for (State q = 0; q < 30; ++q) {
    up.push_back(std::min<State>(q + 1, 29));
    down.push_back(q == 0 ? 0 : q - 1);
  }
  EXPECT_EQ(
      support::limit_of([&] {
        cascade_of(support::automaton_of_maps({up, down}));
      }),
      "level 17 of the cascade has more than 100000 chains of coordinates, the limit; try the "
      "scan construction");
}

}  // namespace
}  // namespace logdepth::cascades_tests
