// Directions that a program declares to be those of integers: what the interpreter accepts, and how
// it reports a program that writes something else.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth::integer_directions_tests {
namespace {

const std::string kHead = "logdepth-cells 1\ninput cells\nunroll fixed 0\n";
const std::string kGiven = "cell i number 2\ncell m number 2\ngiven i position\ngiven m natural\n";

Tokens rows(std::size_t count, std::int64_t natural) {
  std::vector<std::vector<Real>> rows;
  for (std::size_t p = 0; p < count; ++p)
    rows.push_back({static_cast<std::int64_t>(p), 1, natural, 1});
  return cells_tokens(std::move(rows));
}

/// What the interpreter says of the program, "" where nothing is wrong.
std::string complaint(const std::string& text, const Tokens& tokens) {
  const Program program = parse_program(kHead + text, "test");
  check_program(program);
  try {
    interpret(program, tokens);
  } catch (const BrokenProgram& error) {
    return error.what();
  }
  return "";
}

TEST(DirectionsOfIntegers, AreWrittenWhereTheirIntegersAreSmallEnough) {
  const std::string plain = kGiven + "cell d direction 2 integers 1\ninitial\n";
  const std::string end = "output o + d[0]\n";
  // (i, m) and (m, i): both at most N, the number of tokens or m, whichever is larger.
  EXPECT_EQ(complaint(plain + "normalise d from i[0] m[0]\n" + end, rows(6, 4)), "");
  EXPECT_EQ(complaint(plain + "normalise d from i[0] m[0]\n" + end, rows(3, 50)), "");
  // (2i, 3) in lowest terms: 10 is more than 6, and 8 is not.
  const std::string twice = "normalise d from 2*i[0] 3*i[1]\n";
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 1)),
            "normalise d, token 4: cell d takes no direction of integers up to 1 * 6");
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 8)),
            "normalise d, token 5: cell d takes no direction of integers up to 1 * 8");
  EXPECT_EQ(complaint(plain + twice + end, rows(6, 10)), "");
  EXPECT_EQ(
      complaint(kGiven + "cell d direction 2 integers 2\ninitial\n" + twice + end, rows(6, 1)), "");
  // (6i, 9): the same direction as (2i, 3).
  EXPECT_EQ(complaint(plain + "normalise d from 6*i[0] 9*i[1]\n" + end, rows(6, 1)),
            "normalise d, token 4: cell d takes no direction of integers up to 1 * 6");
  // Divided by 7 it is still one of integers.
  EXPECT_EQ(complaint(plain + "normalise d from 1/7*i[0] 1/7*i[1]\n" + end, rows(4, 1)), "");
}

TEST(DirectionsOfIntegers, AreRationalMultiplesOfOneNumber) {
  // phi(i)_0 beside m is no direction of integers from position 1 on.
  const std::string text = kGiven +
                           "cell u direction 2\ncell one constant\ncell d direction 3 integers 9\n"
                           "initial\nnormalise u from i[0] i[1]\nnormalise d from u[0] u[1] one\n"
                           "output o + d[0]\n";
  EXPECT_EQ(complaint(text, rows(4, 1)),
            "normalise d, token 1: cell d takes no direction of integers up to 9 * 4");
}

TEST(DirectionsOfIntegers, AreCheckedWhereAHeadHandsThemOver) {
  const std::string text = "cell z direction 2\ncell d direction 2 integers 1\ngiven z\ninitial\n";
  const std::string copy = "fetch read causal same z under z\n  copy d z\noutput o + d[0]\n";
  const auto tokens = [](const Rational& x, const Rational& y) {
    return cells_tokens({{Real(1), Real(0)}, {Real(x), Real(y)}});
  };
  EXPECT_EQ(complaint(text + copy, tokens(0, -1)), "");
  EXPECT_EQ(complaint(text + copy, tokens({3, 5}, {-4, 5})),
            "fetch 'read', token 1: cell d takes no direction of integers up to 1 * 2");
}

TEST(DirectionsOfIntegers, FitWhereAsLargeOnesOrAnyDirectionMayStand) {
  const auto moved = [](const std::string& target, const std::string& source) {
    check_program(parse_program(kHead + kGiven + "cell e direction 2" + source +
                                    "\ncell d direction 2" + target +
                                    "\ninitial\nnormalise e from i[0] i[1]\nmove d e\n"
                                    "output o + d[0]\n",
                                "test"));
  };
  for (const auto& [target, source] :
       std::vector<std::pair<std::string, std::string>>{{"", " integers 3"},
                                                        {" integers 3", " integers 3"},
                                                        {" integers 4", " integers 3"},
                                                        {"", ""}})
    EXPECT_NO_THROW(moved(target, source)) << target << source;
  EXPECT_THROW(moved(" integers 2", " integers 3"), ProgramRefused);
  EXPECT_THROW(moved(" integers 2", ""), ProgramRefused);
}

TEST(DirectionsOfIntegers, AreDeclaredInTheTextAndNotInTheWeights) {
  const std::string text = kHead + kGiven + "cell d direction 2" + " integers 7\ninitial\n" +
                           "normalise d from i[0] m[0]\noutput o + d[0]\n";
  const Program program = parse_program(text, "test");
  EXPECT_EQ(std::get<DirectionType>(program.cells[*program.find("d")].type).integers, 7u);
  EXPECT_EQ(parse_program(print_program(program), "printed"), program);
  EXPECT_NE(print_program(program).find("cell d direction 2 integers 7\n"), std::string::npos);
  Program plain = program;
  plain.cells[*plain.find("d")].type = DirectionType{2};
  const Compiled with = compile(program), without = compile(plain);
  EXPECT_NE(with_derived(with)->derived, with_derived(without)->derived);
  EXPECT_EQ(*with.model, *without.model);

  Program none = program;
  none.cells[*none.find("d")].type = DirectionType{2, 0};
  EXPECT_THROW(check_program(none), ProgramRefused);
}

}  // namespace
}  // namespace logdepth::integer_directions_tests
