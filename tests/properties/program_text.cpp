// The text form of programs and its inverse.

#include "compiler/program/program_text.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "tests/support/fixed_seed.hpp"
#include "tests/support/random_programs.hpp"

namespace logdepth::program_text_tests {
namespace {

using support::RandomInputs;
using support::RandomPrograms;

void expect_text_round_trip(const Program& program) {
  const std::string text = print_program(program);
  const Program read = parse_program(text, "printed");
  ASSERT_EQ(read, program) << text;
  EXPECT_EQ(print_program(read), text);
}

TEST(ProgramText, ParsingWhatWasPrintedGivesTheSameProgram) {
  RandomPrograms programs(laws::seed(), RandomInputs::all);
  for (int i = 0; i < 800; ++i) {
    SCOPED_TRACE("program " + std::to_string(i));
    const Program program = programs.draw();
    expect_text_round_trip(program);
    expect_text_round_trip(programs.with_odd_names(program));
  }
}

// Cell names are letters, digits, _ and . only, but some of those words mean something else too.
TEST(ProgramText, EveryCellNameThatTheTextFormAllowsSurvivesPrinting) {
  for (const std::string name :
       {"back",     "key",      "state",   "scratch", "flag",    "true",   "rule", "_",
        "_2.x",     "Z",        "when",    "and",     "prefer",  "margin", "find", "zero",
        "positive", "position", "natural", "set",     "related", "ratio",  "key"})
    for (const CellId named : {0, 1, 2}) {
      SCOPED_TRACE("cell " + std::to_string(named) + " is named " + name);
      Program p;
      p.cells = {{"n", NumberType{2}, Lifetime::permanent},
                 {"d", DirectionType{2}, Lifetime::permanent},
                 {"f", FlagType{}, Lifetime::permanent}};
      p.input = CellsInput{};
      p.cells[named].name = name;
      p.given = {{0, GivenCell::Holds::natural}, {1, GivenCell::Holds::value}};
      p.table = {{{2, 1}}, {{2, 0}}};
      FetchStatement fetch;
      fetch.name = "mean";
      fetch.selector = SelectSame{{2, 0}};
      fetch.under = {0};
      fetch.writes = {SumWrite{{0, 1}, {{{0, 0}, Rational(1)}, {{2, 0}, Rational(2)}}}};
      const auto times = [](const Component& c, const Rational& factor) { return Term{c, factor}; };
      p.initial = {fetch,
                   NormaliseStatement{{1}, {times({0, 0}, 1), times({0, 1}, Rational(2, 3))}},
                   NormaliseStatement{{0}, {times({1, 0}, 16), times({2, 0}, 1)}},
                   TestStatement{2, TestStatement::Kind::positive, {0, 1}}};
      fetch.under.clear();
      const Ratio whole{{{{1, 0}, Rational(1)}}, {{{1, 1}, Rational(1)}}};
      const Ratio shifted{{{{1, 0}, Rational(1)}, {{1, 1}, Rational(-2)}}, {{{1, 1}, Rational(1)}}};
      const Ratio other{{{{1, 0}, Rational(1)}, {{2, 0}, Rational(-1, 2)}}, {}};
      for (const Selector& selector : std::initializer_list<Selector>{
               SelectPointed{1, 1, 3}, SelectRightmost{{{2, 0}, {2, 1}}, 1},
               SelectNearest{whole, 1}, SelectNearest{shifted, 1}, SelectNearest{other, 1},
               SelectFlagged{{2, 1}, Literal{2, 0}}, SelectFlagged{{2, 1}, std::nullopt},
               SelectFound{{{whole, 1}, {other, 1}, {shifted, 0}}, std::nullopt, true},
               SelectFound{
                   {{shifted, 1}, {whole, 0}}, Preference{{2, 1}, {{1, 0}, Rational(1, 3)}}, false},
               SelectRelated{{2, 2}, 1, {2, 0}}}) {
        fetch.selector = selector;
        fetch.writes = {SetWrite{2, 1}, CopyWrite{1, 0}};
        p.initial.push_back(fetch);
      }
      p.outputs = {{"o", {{{2, 0}, Rational(1)}, {{1, 0}, Rational(1)}}}};
      try {
        const std::string text = print_program(p);
        EXPECT_TRUE(parse_program(text, "printed") == p) << text;
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    }
}

}  // namespace
}  // namespace logdepth::program_text_tests
