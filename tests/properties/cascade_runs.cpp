// A word through the levels of an automaton: every level does what the automaton did, the states
// that are left are those that the levels cannot tell apart, and the picture shows just that.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/cascade_run.hpp"
#include "objects/holonomy.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "report/figures/strip_page.hpp"
#include "report/pictures/draw_levels.hpp"
#include "tests/support/words.hpp"

namespace logdepth::cascade_runs_tests {
namespace {

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

std::vector<std::string> numbers(const Dfa& dfa) {
  std::vector<std::string> names;
  for (State q = 0; q < dfa.states(); ++q) names.push_back("q" + std::to_string(q));
  return names;
}

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

TEST(CascadeRuns, SayCyclesOfPermutations) {
  EXPECT_EQ(cycles_text({0, 1, 2}), "id");
  EXPECT_EQ(cycles_text({1, 0, 2, 4, 3}), "(0 1)(3 4)");
  EXPECT_EQ(cycles_text({2, 0, 1}), "(0 2 1)");
}

/// The texts of the SVG, in their order.
std::vector<std::string> texts(const std::string& svg) {
  std::vector<std::string> found;
  for (std::size_t at = svg.find("<text"); at != std::string::npos;
       at = svg.find("<text", at + 1)) {
    const std::size_t start = svg.find('>', at) + 1;
    found.push_back(svg.substr(start, svg.find('<', start) - start));
  }
  return found;
}

TEST(LevelPictures, ShowTheStatesOfTheAutomaton) {
  for (const Dfa& dfa : automata()) {
    const Cascade cascade = to_cascade(decompose(dfa));
    std::mt19937_64 random(7);
    const Word word = support::random_word(random, dfa.alphabet.size(), 40);
    const LevelStack stack = draw_levels(dfa, cascade, numbers(dfa), word, "one");
    const StripPicture picture = level_stack_picture(stack);
    ASSERT_GT(picture.strips.size(), 2u);
    std::vector<std::string> expected, shown;
    for (std::size_t t = 0; t <= word.size(); ++t) {
      const State state = after(dfa, {word.begin(), word.begin() + static_cast<std::ptrdiff_t>(t)});
      expected.push_back("q" + std::to_string(state));
      EXPECT_EQ(stack.good[t], dfa.accepting[state]);
      for (std::size_t i = 0; i < cascade.levels.size(); ++i) {
        const StackLevel& level = stack.levels[i];
        EXPECT_TRUE(std::ranges::count(level.cells[t].points, state) == 1);
        if (t == 0) continue;
        const std::size_t before = level.cells[t - 1].value, now = level.cells[t].value;
        if (level.steps[t - 1].kind == StackStep::Kind::kept) {
          EXPECT_EQ(before, now);
        }
      }
    }
    // A line begins with the state that the one above ends with.
    for (std::size_t i = 1; i < picture.strips.size(); ++i) {
      const Strip& strip = picture.strips[i];
      EXPECT_GT(strip.bottom, strip.top);
      EXPECT_EQ(strip.top, picture.strips[i - 1].bottom);
      if (i > 1) shown.pop_back();
      for (const std::string& text : texts(strip.elements))
        if (text.starts_with("q")) shown.push_back(text);
      EXPECT_EQ(strip.notes.size(), (strip.tables.front().rows.size() - 1) * cascade.levels.size());
    }
    EXPECT_EQ(shown, expected);
    EXPECT_NE(strips_section(picture, true).find("letters 1 to "), std::string::npos);
  }
}

TEST(LevelPictures, OfAGroupNameItAndItsPermutations) {
  const Dfa s3 = automata()[kExpressions.size()];
  const LevelStack stack = draw_levels(s3, to_cascade(decompose(s3)), numbers(s3), {0, 1, 1}, "S3");
  ASSERT_EQ(stack.levels.size(), 1u);
  EXPECT_EQ(stack.levels[0].note, "S3");
  for (std::size_t t = 0; t < 3; ++t) {
    EXPECT_EQ(stack.levels[0].steps[t].kind, StackStep::Kind::permuted);
    EXPECT_EQ(stack.levels[0].steps[t].text,
              cycles_text(named_monoid("S3").generators[t == 0 ? 0 : 1]));
  }
  EXPECT_EQ(draw_levels(automata()[0], to_cascade(decompose(automata()[0])), numbers(automata()[0]),
                        {}, "")
                .levels[0]
                .note,
            "resets only");
}

TEST(LevelPictures, OfDyckWordsLoseOneStateInEachLevel) {
  const Dfa dyck = automata()[3];
  const LevelStack stack = draw_levels(dyck, to_cascade(decompose(dyck)), numbers(dyck),
                                       dyck.alphabet.parse_word("aaabbb"), "");
  ASSERT_EQ(dyck.states(), 5u);
  ASSERT_EQ(stack.levels.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    for (const StackCell& cell : stack.levels[i].cells) EXPECT_EQ(cell.points.size(), 4 - i);
}

TEST(LevelPictures, AreRefusedBeyondWhatAPageShows) {
  const Dfa dfa = automata()[0];
  const Cascade cascade = to_cascade(decompose(dfa));
  EXPECT_NO_THROW(draw_levels(dfa, cascade, numbers(dfa), Word(kMostDrawnLetters, 0), ""));
  EXPECT_THROW(draw_levels(dfa, cascade, numbers(dfa), Word(kMostDrawnLetters + 1, 0), ""),
               SizeLimit);
}

}  // namespace
}  // namespace logdepth::cascade_runs_tests
