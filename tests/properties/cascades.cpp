// Cascades of permutations and resets: the automaton itself is the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"
#include "objects/cascade.hpp"
#include "objects/holonomy.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/transition_monoid.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::cascades_tests { namespace {

// Automata given by what their letters do to the states.

Dfa automaton_of_maps(const std::vector<Transformation>& letters, State initial = 0) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < letters.size(); ++i) names.push_back("x" + std::to_string(i));
  Dfa dfa;
  dfa.alphabet = Alphabet(names);
  dfa.initial = initial;
  dfa.accepting.assign(letters.front().size(), false);
  for (State q = 0; q < dfa.states(); ++q)
    for (const Transformation& letter : letters) dfa.next.push_back(letter[q]);
  return dfa;
}

/// The points of a named group or monoid are the states.
Dfa automaton_named(const std::string& name) {
  return automaton_of_maps(named_monoid(name).generators);
}

enum class KindOfMaps { any, permutations, monotone, sparse };
constexpr std::size_t kKindsOfMaps = 4;

/// Unreachable states, equal letters and the identity occur among them.
Dfa random_automaton_of(std::mt19937_64& random, KindOfMaps kind, std::size_t states,
                        std::size_t letters) {
  std::vector<Transformation> maps(letters, identity_transformation(states));
  for (Transformation& map : maps) {
    if (kind == KindOfMaps::permutations) {
      std::shuffle(map.begin(), map.end(), random);
      continue;
    }
    for (State& image : map)
      if (kind != KindOfMaps::sparse || random() % 3 == 0)
        image = static_cast<State>(random() % states);
    if (kind == KindOfMaps::monotone) std::sort(map.begin(), map.end());
  }
  return automaton_of_maps(maps, static_cast<State>(random() % states));
}

std::string limit_of(const std::function<void()>& action) {
  return support::refusal<SizeLimit>(action);
}

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

/// The coordinate of each level after a word.
std::vector<std::uint32_t> coordinates_after(const Cascade& cascade, const Word& word) {
  std::vector<std::uint32_t> coordinates;
  for (const CascadeLevel& level : cascade.levels) coordinates.push_back(level.initial);
  for (const Letter letter : word) {
    std::uint32_t context = 0;
    for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
      const CascadeLevel& level = cascade.levels[i];
      const std::uint32_t before = coordinates[i];
      coordinates[i] = level.maps[level.action[letter][context]][before];
      context = level.next[context][before];
    }
  }
  return coordinates;
}

/// The state of the chain that these coordinates are.
State state_of(const Cascade& cascade, const std::vector<std::uint32_t>& coordinates) {
  std::uint32_t context = 0;
  for (std::size_t i = 0; i < cascade.levels.size(); ++i)
    context = cascade.levels[i].next[context][coordinates[i]];
  return cascade.state[context];
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
    const Dfa dfa = random_automaton_of(random, static_cast<KindOfMaps>(i % kKindsOfMaps),
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
    const Dfa dfa = random_automaton_of(random, static_cast<KindOfMaps>(i % kKindsOfMaps),
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
  const Cascade t5 = cascade_of(automaton_named("T5"));
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
  EXPECT_EQ(levels_of(automaton_named("T1")), "");
  EXPECT_EQ(levels_of(automaton_named("flipflop")),
            "level 1: 2 coordinates {0} {1}, 2 resets, 1 context\n");
  // Depth 0, 1, 2 and the sink are 0, 1, 3 and 2.
  EXPECT_EQ(levels_of(of_regex("(a(ab)*b)*")),
            "level 1: 2 coordinates {0,1,2} {1,2,3}, 2 resets, 1 context\n"
            "level 2: 2 coordinates {1,2} {2,3}, 2 resets, 2 contexts\n"
            "level 3: 2 coordinates {2} {3}, 1 reset, 4 contexts\n");
  EXPECT_EQ(levels_of(automaton_named("S3")),
            "level 1: 3 coordinates {0} {1} {2}, 2 permutations of a group of order 6: Z2, Z3, 1 "
            "context\n");
  EXPECT_EQ(levels_of(automaton_named("T3")),
            "level 1: 3 coordinates {0,1} {0,2} {1,2}, 1 reset, 2 permutations of a group of order "
            "6: Z2, Z3, 1 context\n"
            "level 2: 2 coordinates {0} {2}, 1 reset, 1 permutation of a group of order 2: Z2, 3 "
            "contexts\n");
  EXPECT_EQ(
      levels_of(automaton_named("A5")),
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
  EXPECT_EQ(cascade_of(automaton_named("T5")).state.size(), 120u);
  EXPECT_EQ(cascade_of(automaton_named("Z4000")).state.size(), 4000u);
  // Thirty states in a row, one way.
  Transformation up;
  for (State q = 0; q < 30; ++q) up.push_back(std::min<State>(q + 1, 29));
  const Cascade row = cascade_of(automaton_of_maps({up}));
  EXPECT_EQ(row.levels.size(), 29u);
  EXPECT_EQ(row.state.size(), 30u);
  for (const CascadeLevel& level : row.levels) EXPECT_LE(level.coordinates.size(), 3u);
}

TEST(Cascades, BeyondTheirLimitsAreRefusedWithTheLevel) {
  EXPECT_EQ(level_group(cascade_of(automaton_named("S7")), 0).order(), 5040u);
  EXPECT_EQ(
      limit_of([] { level_group(cascade_of(automaton_named("S8")), 0); }),
      "level 1 of the cascade has a group of more than 5040 elements, the limit; try the scan "
      "construction");
  // 9, 9*8, ..., 9*8*7*6*5*4 = 60480 chains, then three times as many.
  EXPECT_EQ(limit_of([] { cascade_of(automaton_named("T9")); }),
            "level 7 of the cascade has more than 100000 chains of coordinates, the limit; try the "
            "scan construction");
  // Up and down a row each interval has two tiles that overlap: 2^17 chains down to level 17.
  Transformation up, down;
  for (State q = 0; q < 30; ++q) {
    up.push_back(std::min<State>(q + 1, 29));
    down.push_back(q == 0 ? 0 : q - 1);
  }
  EXPECT_EQ(
      limit_of([&] {
        cascade_of(automaton_of_maps({up, down}));
      }),
      "level 17 of the cascade has more than 100000 chains of coordinates, the limit; try the "
      "scan construction");
}

// A word through the levels of an automaton: every level does what the automaton did, the states
// that are left are those that the levels cannot tell apart, and the picture shows just that.

const std::vector<std::string> kExpressions = {
    "(a|b)*abb", "b*(ab*ab*)*",  "(a(ab)*b)*", "(a(a(ab)*b)*b)*", "(a|b)*a(a|b){2}",
    "a*",        "(ab|ba|aa)*b", "(a|b|c)*",   "(aaa)*|b",        "((a|b)(a|b|c)c)*"};

std::vector<Dfa> automata() {
  std::vector<Dfa> all;
  for (const std::string& expression : kExpressions)
    all.push_back(minimise(determinise(to_nfa(parse_regex(expression, std::nullopt)))));
  for (const char* name : {"S3", "T3", "flipflop", "Z6"}) {
    const Action action = named_monoid(name);
    Dfa dfa{action.alphabet, 0, std::vector<bool>(action.points), {}};
    for (State q = 0; q < action.points; ++q)
      for (const Transformation& letter : action.generators) dfa.next.push_back(letter[q]);
    all.push_back(dfa);
  }
  return all;
}

State after(const Dfa& dfa, const Word& word) {
  State state = dfa.initial;
  for (const Letter letter : word) state = dfa.step(state, letter);
  return state;
}

constexpr std::size_t kLongest = 7;

TEST(CascadeRuns, GoWhereTheAutomatonGoesAndLoseStatesFromLevelToLevel) {
  for (const Dfa& dfa : automata()) {
    const Cascade cascade = to_cascade(decompose(dfa));
    support::for_each_word(dfa.alphabet.size(), 5, [&](const Word& word) {
      const auto moments = run_cascade(cascade, word);
      ASSERT_EQ(moments.size(), word.size() + 1);
      for (std::size_t t = 0; t <= word.size(); ++t) {
        const Word prefix(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(t));
        EXPECT_EQ(moments[t].state, after(dfa, prefix));
        EXPECT_EQ(moments[t].coordinates, coordinates_after(cascade, prefix));
        EXPECT_EQ(moments[t].steps.size(), t == 0 ? 0 : cascade.levels.size());
        const std::vector<State>* above = nullptr;
        for (const auto& left : moments[t].states) {
          if (above) {
            EXPECT_TRUE(std::ranges::includes(*above, left));
          }
          EXPECT_TRUE(std::ranges::binary_search(left, moments[t].state));
          above = &left;
        }
        if (above) {
          EXPECT_EQ(*above, std::vector<State>{moments[t].state});
        }
      }
    });
  }
}

TEST(CascadeRuns, LeaveTheStatesOfAllWordsWithTheseCoordinates) {
  for (const Dfa& dfa : automata()) {
    const Cascade cascade = to_cascade(decompose(dfa));
    std::map<std::vector<std::uint32_t>, std::set<State>> states;  // by the first coordinates
    support::for_each_word(dfa.alphabet.size(), kLongest, [&](const Word& word) {
      auto coordinates = coordinates_after(cascade, word);
      for (; !coordinates.empty(); coordinates.pop_back())
        states[coordinates].insert(after(dfa, word));
    });
    support::for_each_word(dfa.alphabet.size(), 3, [&](const Word& word) {
      const CascadeMoment last = run_cascade(cascade, word).back();
      for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
        const auto& seen = states[{last.coordinates.begin(),
                                   last.coordinates.begin() + static_cast<std::ptrdiff_t>(i) + 1}];
        EXPECT_EQ(std::set(last.states[i].begin(), last.states[i].end()), seen);
      }
    });
  }
}

TEST(CascadeRuns, NameTheLevelsThatDecideAndNoMoreOfThem) {
  for (const Dfa& dfa : automata()) {
    const Cascade cascade = to_cascade(decompose(dfa));
    // What each letter does at each level, after every word.
    struct Seen {
      std::vector<std::uint32_t> coordinates;
      std::vector<LevelStep> steps;
    };
    std::vector<std::vector<Seen>> seen(dfa.alphabet.size());
    std::set<std::vector<std::uint32_t>> known;
    support::for_each_word(dfa.alphabet.size(), kLongest, [&](const Word& word) {
      const auto coordinates = coordinates_after(cascade, word);
      if (!known.insert(coordinates).second) return;
      for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
        Word longer = word;
        longer.push_back(letter);
        seen[letter].push_back({coordinates, run_cascade(cascade, longer).back().steps});
      }
    });
    for (const auto& of_letter : seen)
      for (const Seen& one : of_letter)
        for (std::size_t i = 0; i < one.steps.size(); ++i) {
          const auto decided = [&](const std::vector<std::size_t>& levels) {
            return std::ranges::all_of(of_letter, [&](const Seen& other) {
              return other.steps[i].map == one.steps[i].map ||
                     !std::ranges::all_of(levels, [&](std::size_t above) {
                       return other.coordinates[above] == one.coordinates[above];
                     });
            });
          };
          const std::vector<std::size_t>& levels = one.steps[i].decided_by;
          EXPECT_TRUE(decided(levels));
          for (const std::size_t level : levels) {
            EXPECT_LT(level, i);
            auto fewer = levels;
            std::erase(fewer, level);
            EXPECT_FALSE(decided(fewer));
          }
        }
  }
}

// The holonomy decomposition of an automaton: its definitions on small ones, and its limits.

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

/// The permutations of the tiles of a class's representative by the words that map it onto itself.
// A word from the representative R back to R goes through sets of the class; what each of its letters
// does to tile numbers is a permutation of the tiles of R: back along the word from R to the set before
// the letter, the letter, and on along the inverse of the word to the set after it.
PermutationGroup holonomy_group(const Holonomy& h, std::size_t class_number) {
  const std::vector<std::uint32_t>& members = h.classes[class_number].members;
  std::vector<Transformation> permutations;
  for (const std::uint32_t set : members)
    for (Letter letter = 0; letter < h.letters; ++letter) {
      const std::uint32_t image = h.image[set * h.letters + letter];
      if (h.class_of[image] != class_number) continue;
      Transformation& permutation = permutations.emplace_back();
      for (const std::uint32_t tile : h.tiles[set])
        permutation.push_back(h.tile_number(image, h.image[tile * h.letters + letter]));
    }
  return *generated_group(permutations, h.tiles[members.front()].size(), kLargestLevelGroup);
}

TEST(Holonomy, IsWhatItsDefinitionsSay) {
  std::mt19937_64 random(laws::seed());
  std::size_t examined = 0, groups = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const Dfa dfa = random_automaton_of(random, static_cast<KindOfMaps>(i % kKindsOfMaps),
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
    const Dfa dfa = random_automaton_of(random, static_cast<KindOfMaps>(i % kKindsOfMaps),
                                        2 + random() % 5, 1 + random() % 3);
    // Of the automata with many products those with many permutations are worth the time.
    const auto monoid =
        enumerate_monoid(to_action(dfa).generators, dfa.states(), i % 4 == 1 ? 800 : 300);
    if (!monoid) continue;
    ++examined;
    const Subgroups expected = examine_subgroups(*monoid);
    bool all_trivial = true, all_solvable = true;
    const Holonomy h = decompose(dfa);
    for (std::size_t c = 0; c < h.classes.size(); ++c) {
      if (h.classes[c].height == 0) continue;
      const GroupSummary group = summarise(holonomy_group(h, c));
      all_trivial = all_trivial && group.order == 1;
      all_solvable = all_solvable && group.steps;
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
  const Holonomy h = decompose(automaton_named("T3"));
  ASSERT_EQ(h.classes.size(), 3u);  // single states come first
  EXPECT_EQ(h.classes[0].height, 0u);
  const Holonomy::Class &all = h.classes[2], &pairs = h.classes[1];
  EXPECT_EQ(all.height, 2u);
  ASSERT_EQ(all.members.size(), 1u);
  EXPECT_EQ(of(h.sets[all.members[0]]), (Set{0, 1, 2}));
  std::vector<Set> tiles;
  for (const std::uint32_t tile : h.tiles[all.members[0]]) tiles.push_back(of(h.sets[tile]));
  EXPECT_EQ(tiles, (std::vector<Set>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(format_group(summarise(holonomy_group(h, 2))), "order 6: Z2, Z3");
  EXPECT_EQ(pairs.height, 1u);
  EXPECT_EQ(pairs.members.size(), 3u);
  EXPECT_EQ(h.tiles[pairs.members[0]].size(), 2u);
  EXPECT_EQ(format_group(summarise(holonomy_group(h, 1))), "order 2: Z2");
}

TEST(Holonomy, RefusesMoreSetsThanItsLimit) {
  EXPECT_EQ(decompose(automaton_named("T10")).sets.size(), 1023u);
  EXPECT_EQ(limit_of([] { decompose(automaton_named("T15")); }),
            "words map the 15 states of the automaton onto more than 20000 different sets, the "
            "limit; try "
            "the scan construction");
  // Letters that do the same are letters all the same.
  const Dfa t10 = automaton_named("T10");
  std::vector<Transformation> letters;
  while (letters.size() < 4000)
    for (const Transformation& x : to_action(t10).generators) letters.push_back(x);
  EXPECT_EQ(
      limit_of([&] { decompose(automaton_of_maps(letters)); }),
      "words map the 10 states of the automaton onto more than 999 different sets, the limit for "
      "4002 letters; try the scan construction");
}

}}  // namespace logdepth::cascades_tests
