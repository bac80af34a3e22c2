// Shapes and sizes of cascades, counted on their files; and which tables are refused.
#include <gtest/gtest.h>

#include "compiler/file/measure.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/named_monoids.hpp"
#include "runtime/file/whole_file.hpp"
#include "tests/support/cascades.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"

namespace logdepth::cascade_depth_tests {
namespace {

using support::compile_cascade;

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
                 scan =
                     measure(support::compile_scan(to_action(dfa),
                                                   {ScanPositions::first_flag, ScanTable::automatic,
                                                    Norm::rms, false, std::nullopt}),
                             100);
  EXPECT_EQ(scan.depth, 7u + 1);
  EXPECT_EQ(cascade.depth, 7u + 5);
  EXPECT_EQ(scan.units, 8812u);
  EXPECT_EQ(cascade.units, 235u);
}

/// What the construction says when it refuses the automaton.
std::string refusal(const Action& action) {
  try {
    compile_cascade(action, {ScanPositions::fine});
  } catch (const SizeLimit& limit) {
    return limit.what();
  }
  return "not refused";
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

}  // namespace
}  // namespace logdepth::cascade_depth_tests
