// The holonomy decomposition and its cascade: the automaton itself is the oracle.
#include "objects/holonomy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/subgroups.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/words.hpp"

namespace logdepth::holonomy_tests {
namespace {

enum Kind { kAny, kPermutations, kMonotone, kSparse, kKinds };

Dfa of_maps(const std::vector<Transformation>& letters, State initial = 0) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < letters.size(); ++i) names.push_back("l" + std::to_string(i));
  Dfa dfa;
  dfa.alphabet = Alphabet(names);
  dfa.initial = initial;
  dfa.accepting.assign(letters.front().size(), false);
  for (State q = 0; q < dfa.states(); ++q)
    for (const Transformation& letter : letters) dfa.next.push_back(letter[q]);
  return dfa;
}

Dfa of_named(const std::string& name) { return of_maps(named_monoid(name).generators); }

Dfa of_regex(const std::string& expression) {
  return minimise(determinise(to_nfa(parse_regex(expression))));
}

/// Any automaton of that kind: unreachable states, equal letters and identities among them.
Dfa random_dfa(std::mt19937_64& random, Kind kind, std::size_t states, std::size_t letters) {
  std::vector<Transformation> maps(letters, identity_transformation(states));
  for (Transformation& map : maps) {
    if (kind == kPermutations) std::shuffle(map.begin(), map.end(), random);
    for (State& image : map)
      if (kind == kAny || kind == kMonotone || (kind == kSparse && random() % 3 == 0))
        image = static_cast<State>(random() % states);
    if (kind == kMonotone) std::sort(map.begin(), map.end());
  }
  return of_maps(maps, static_cast<State>(random() % states));
}

State after(const Dfa& dfa, State state, const Word& word) {
  for (const Letter letter : word) state = dfa.step(state, letter);
  return state;
}

/// Steps through a cascade by the meaning of its fields alone, and sees that each level permutes or
/// resets, that contexts are what they are said to be, and that the chain's state is right.
class Walk {
 public:
  Walk(const Dfa& dfa, const Cascade& cascade) : dfa_(dfa), cascade_(cascade) {}

  testing::AssertionResult agrees(const Word& word) const {
    const std::vector<std::uint32_t> coordinates = coordinates_after(cascade_, word);
    if (state_of(cascade_, coordinates) == after(dfa_, dfa_.initial, word))
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << "wrong after " << format_transformation(word);
  }

 private:
  const Dfa& dfa_;
  const Cascade& cascade_;
};

void expect_well_formed(const Cascade& cascade, bool by_holonomy) {
  std::size_t contexts = 1;
  for (const CascadeLevel& level : cascade.levels) {
    const std::size_t points = level.coordinates.size();
    EXPECT_GE(points, 2u);
    EXPECT_LT(level.initial, points);
    ASSERT_EQ(level.contexts, contexts);
    ASSERT_EQ(level.next.size(), contexts);
    ASSERT_EQ(level.action.size(), cascade.letters);
    EXPECT_EQ(level.maps.front(), identity_transformation(points));
    EXPECT_EQ(std::set(level.maps.begin(), level.maps.end()).size(), level.maps.size());
    for (const Transformation& map : level.maps) {
      ASSERT_EQ(map.size(), points);
      EXPECT_TRUE(!by_holonomy || is_permutation(map) || is_reset(map));
    }
    for (const auto& row : level.action) {
      ASSERT_EQ(row.size(), contexts);
      for (const std::uint32_t map : row) ASSERT_LT(map, level.maps.size());
    }
    // The contexts below are numbered 0, 1, ... without a gap, the initial one 0.
    EXPECT_EQ(level.next[0][level.initial], 0u);
    std::set<std::uint32_t> below;
    std::size_t chains = 0;
    for (const auto& row : level.next) {
      ASSERT_EQ(row.size(), points);
      std::size_t before = chains;
      for (const std::uint32_t next : row)
        if (next != kNoContext) {
          below.insert(next);
          ++chains;
        }
      EXPECT_GT(chains, before);
    }
    EXPECT_EQ(below.size(), chains);
    EXPECT_EQ(*below.rbegin(), chains - 1);
    EXPECT_GT(chains, contexts);
    contexts = chains;
  }
  EXPECT_EQ(cascade.state.size(), contexts);
}

TEST(HolonomyCascade, RunsAsTheAutomatonDoes) {
  std::mt19937_64 random(laws::seed());
  for (std::size_t i = 0; i < 800; ++i) {
    const Dfa dfa = random_dfa(random, static_cast<Kind>(i % kKinds), 2 + random() % 5,
                               1 + random() % 3);
    const Cascade cascade = to_cascade(decompose(dfa));
    expect_well_formed(cascade, true);
    const Walk walk(dfa, cascade);
    support::for_each_word(dfa.alphabet.size(), 6,
                           [&](const Word& word) { EXPECT_TRUE(walk.agrees(word)); });
    for (std::size_t k = 0; k < 20; ++k)
      EXPECT_TRUE(walk.agrees(support::random_word(random, dfa.alphabet.size(), random() % 150)));
    if (HasFailure()) FAIL() << "automaton " << i << to_action(dfa).points;
  }
}

}  // namespace
}  // namespace logdepth::holonomy_tests
