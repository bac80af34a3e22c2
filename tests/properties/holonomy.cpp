// The holonomy decomposition of an automaton: its definitions on small ones, and its limits.
#include "objects/holonomy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "objects/cascade_summary.hpp"
#include "objects/subgroups.hpp"
#include "tests/support/automata_of_maps.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::holonomy_tests {
namespace {

using support::automaton_of_maps;
using support::KindOfMaps;

using Set = std::set<State>;

Set of(const StateSet& set) {
  const std::vector<State> states = states_of(set);
  return {states.begin(), states.end()};
}

bool inside(const Set& part, const Set& set) {
  return std::includes(set.begin(), set.end(), part.begin(), part.end());
}

Set image(const Set& set, const Transformation& x) {
  Set images;
  for (const State q : set) images.insert(x[q]);
  return images;
}

/// From the definitions, by all maps that words are.
class ByDefinition {
 public:
  explicit ByDefinition(const TransitionMonoid& monoid) : monoid_(monoid) {
    Set all;
    for (const State q : monoid.elements.front()) {
      all.insert(q);
      sets_.insert({q});
    }
    for (const Transformation& x : monoid.elements) sets_.insert(image(all, x));
  }

  const std::set<Set>& sets() const { return sets_; }
  bool below(const Set& p, const Set& q) const {
    return std::any_of(monoid_.elements.begin(), monoid_.elements.end(),
                       [&](const Transformation& x) { return inside(p, image(q, x)); });
  }
  std::size_t height(const Set& p) {
    if (p.size() == 1) return 0;
    const auto known = heights_.find(p);
    if (known != heights_.end()) return known->second;
    std::size_t height = 0;
    for (const Set& q : sets_)
      if (below(q, p) && !below(p, q)) height = std::max(height, this->height(q) + 1);
    return heights_[p] = height;
  }
  std::set<Set> tiles(const Set& p) const {
    std::set<Set> tiles;
    for (const Set& q : sets_) {
      if (q == p || !inside(q, p)) continue;
      if (std::none_of(sets_.begin(), sets_.end(), [&](const Set& r) {
            return r != p && r != q && inside(r, p) && inside(q, r);
          }))
        tiles.insert(q);
    }
    return tiles;
  }
  /// What the words that map p onto itself do to its states.
  std::size_t group_of(const Set& p) const {
    std::set<std::vector<State>> maps;
    for (const Transformation& x : monoid_.elements)
      if (image(p, x) == p) {
        std::vector<State> map;
        for (const State q : p) map.push_back(x[q]);
        maps.insert(map);
      }
    return maps.size();
  }

 private:
  const TransitionMonoid& monoid_;
  std::set<Set> sets_;
  std::map<Set, std::size_t> heights_;
};

TEST(Holonomy, IsWhatItsDefinitionsSay) {
  std::mt19937_64 random(laws::seed());
  std::size_t examined = 0, groups = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const Dfa dfa =
        support::random_automaton_of(random, static_cast<KindOfMaps>(i % support::kKindsOfMaps),
                                     2 + random() % 4, 1 + random() % 3);
    const auto monoid = enumerate_monoid(to_action(dfa).generators, dfa.states(), 150);
    if (!monoid) continue;
    ++examined;
    const Holonomy h = decompose(dfa);
    ByDefinition expected(*monoid);
    std::set<Set> sets;
    for (const StateSet& set : h.sets) sets.insert(of(set));
    ASSERT_EQ(sets, expected.sets());
    ASSERT_EQ(sets.size(), h.sets.size());
    for (std::uint32_t p = 0; p < h.sets.size(); ++p) {
      const Set set = of(h.sets[p]);
      ASSERT_EQ(h.height(p), expected.height(set));
      std::set<Set> tiles;
      for (const std::uint32_t tile : h.tiles[p]) tiles.insert(of(h.sets[tile]));
      ASSERT_EQ(tiles, set.size() == 1 ? std::set<Set>{} : expected.tiles(set));
      ASSERT_EQ(tiles.size(), h.tiles[p].size());
      for (std::uint32_t q = 0; q < h.sets.size(); ++q)
        ASSERT_EQ(h.class_of[p] == h.class_of[q],
                  expected.below(set, of(h.sets[q])) && expected.below(of(h.sets[q]), set));
    }
    for (std::uint32_t c = 0; c < h.classes.size(); ++c) {
      const auto& members = h.classes[c].members;
      for (const std::uint32_t member : members) ASSERT_EQ(h.class_of[member], c);
      if (h.classes[c].height == 0) continue;
      // The words that map a set onto itself act on its tiles, through what they do to its states.
      const std::size_t order = holonomy_group(h, c).order();
      ASSERT_EQ(expected.group_of(of(h.sets[members.front()])) % order, 0u);
      std::set<std::vector<std::uint32_t>> actions;
      for (const Transformation& x : monoid->elements) {
        const Set set = of(h.sets[members.front()]);
        if (image(set, x) != set) continue;
        std::vector<std::uint32_t> action;
        for (const std::uint32_t tile : h.tiles[members.front()]) {
          const Set after = image(of(h.sets[tile]), x);
          std::uint32_t number = 0;
          while (of(h.sets[h.tiles[members.front()][number]]) != after) ++number;
          action.push_back(number);
        }
        actions.insert(action);
      }
      ASSERT_EQ(actions.size(), order);
      groups += order > 1;
    }
  }
  EXPECT_GT(examined, 100u);
  EXPECT_GT(groups, 40u);
}

TEST(Holonomy, GroupsAreTrivialOrSolvableWhereThoseOfTheMonoidAre) {
  std::mt19937_64 random(laws::seed());
  std::size_t examined = 0, aperiodic = 0, solvable = 0, unsolvable = 0;
  for (std::size_t i = 0; examined < 1000; ++i) {
    const Dfa dfa =
        support::random_automaton_of(random, static_cast<KindOfMaps>(i % support::kKindsOfMaps),
                                     2 + random() % 5, 1 + random() % 3);
    // Of the automata with many products those with many permutations are worth the time.
    const auto monoid =
        enumerate_monoid(to_action(dfa).generators, dfa.states(), i % 4 == 1 ? 800 : 300);
    if (!monoid) continue;
    ++examined;
    const Subgroups expected = examine_subgroups(*monoid);
    bool all_trivial = true, all_solvable = true;
    for (const ClassSummary& found : summarise(decompose(dfa))) {
      all_trivial = all_trivial && found.group.order == 1;
      all_solvable = all_solvable && found.group.steps;
    }
    ASSERT_EQ(all_trivial, expected.largest == 1);
    ASSERT_EQ(all_solvable, expected.derived_length.has_value());
    aperiodic += all_trivial;
    solvable += all_solvable && !all_trivial;
    unsolvable += !all_solvable;
  }
  EXPECT_GT(aperiodic, 100u);
  EXPECT_GT(solvable, 100u);
  EXPECT_GT(unsolvable, 20u);
}

TEST(Holonomy, OfAllMapsOfThreePointsHasTheSymmetricGroups) {
  const std::vector<ClassSummary> classes = summarise(decompose(support::automaton_named("T3")));
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].height, 2u);
  EXPECT_EQ(classes[0].representative, (std::vector<State>{0, 1, 2}));
  EXPECT_EQ(classes[0].members, 1u);
  EXPECT_EQ(classes[0].tiles, (std::vector<std::vector<State>>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(format_group(classes[0].group), "order 6: Z2, Z3");
  EXPECT_EQ(classes[1].height, 1u);
  EXPECT_EQ(classes[1].members, 3u);
  EXPECT_EQ(classes[1].tiles.size(), 2u);
  EXPECT_EQ(format_group(classes[1].group), "order 2: Z2");
}

TEST(Holonomy, RefusesMoreSetsThanItsLimit) {
  EXPECT_EQ(decompose(support::automaton_named("T10")).sets.size(), 1023u);
  EXPECT_EQ(support::limit_of([] { decompose(support::automaton_named("T15")); }),
            "words map the 15 states of the automaton onto more than 20000 different sets, the "
            "limit; try "
            "the scan construction");
  // Letters that do the same are letters all the same.
  const Dfa t10 = support::automaton_named("T10");
  std::vector<Transformation> letters;
  while (letters.size() < 4000)
    for (const Transformation& x : to_action(t10).generators) letters.push_back(x);
  EXPECT_EQ(
      support::limit_of([&] { decompose(automaton_of_maps(letters)); }),
      "words map the 10 states of the automaton onto more than 999 different sets, the limit for "
      "4002 letters; try the scan construction");
}

}  // namespace
}  // namespace logdepth::holonomy_tests
