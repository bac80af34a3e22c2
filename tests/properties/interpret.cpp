// What the interpreter says of single statements, where a program breaks its own word, and which
// inputs it does not take.

#include "compiler/meaning/interpret.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compiler/meaning/selected_positions.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::interpret_tests {
namespace {

using Rows = std::vector<std::vector<Real>>;

const std::string kHead = "logdepth-cells 1\ninput cells\nunroll fixed 0\n";

/// A program over raw cells, run on these rows; the message of the interpreter's complaint, if any.
struct Told {
  std::string broken;
  CellStates states;
};
Told tell(const std::string& text, Rows rows) {
  const Program program = parse_program(kHead + text, "test");
  try {
    return {"", interpret(program, cells_tokens(std::move(rows)))};
  } catch (const BrokenProgram& error) {
    return {error.what(), {}};
  }
}
std::vector<Real> column(const CellStates& states, const Component& c) {
  std::vector<Real> values;
  for (std::size_t token = 0; token < states.tokens; ++token) values.push_back(states.at(token, c));
  return values;
}

void expect_broken(const std::string& text, const Rows& rows, const std::string& reason) {
  const std::string broken = tell(text, rows).broken;
  EXPECT_NE(broken.find(reason), std::string::npos) << broken << "\nexpected: " << reason;
}

// --- writes --------------------------------------------------------------------------------------

TEST(Interpreter, RefusesACopyOntoACellThatHoldsAnythingAlsoANegativeValue) {
  const std::string text =
      "cell I key circle\ncell f flag\ncell g flag\ngiven I\ngiven f\ngiven g\n"
      "initial\nfetch f causal match I key I\ncopy g f\n";
  const Real zero(0), one(1);
  for (const int held : {-1, 1})
    expect_broken(text, {{zero, one, one, Real(held)}}, "cell g is not blank");
  const std::string normalise =
      "cell n number 2\ncell d direction 2\ngiven n natural\ngiven d\n"
      "initial\nnormalise d from n[0] n[1]\n";
  expect_broken(normalise, {{Real(2), one, Real(-1), zero}}, "cell d is not blank");
}

TEST(Interpreter, SetsFlagsAndLabelsAtTheTokenItself) {
  const std::string text =
      "cell I key circle\ncell x onehot a b\ncell f flag\ngiven I\ngiven x\ngiven f\n"
      "initial\nfetch f causal match I key I\nset x=b\nset f=false\n";
  const Told told = tell(text, {{0, 1, 1, 0, 1}, {Rational(-3, 5), Rational(4, 5), 1, 0, -1}});
  ASSERT_EQ(told.broken, "");
  EXPECT_EQ(column(told.states, {1, 0}), (std::vector<Real>{0, 0}));
  EXPECT_EQ(column(told.states, {1, 1}), (std::vector<Real>{1, 1}));
  EXPECT_EQ(column(told.states, {2, 0}), (std::vector<Real>{-1, -1}));
}

TEST(Interpreter, TestsOnlyFlagsThatHoldTheExpectedValue) {
  const std::string cells = "cell n number 2\ncell f flag\ngiven n natural\ngiven f\n";
  const Rows rows = {{2, 1, 1}};
  EXPECT_EQ(tell(cells + "initial\ntest f zero n[0]\n", rows).states.at(0, {1, 0}), Real(-1));
  expect_broken(cells + "initial\ntest f positive n[0]\n", rows, "flag f is not false");
  expect_broken(cells + "initial\ntest f zero n[0]\ntest f zero n[0]\n", rows,
                "flag f is not true");
  EXPECT_EQ(tell(cells + "initial\ntest f positive n[0]\n", {{2, 1, -1}}).states.at(0, {1, 0}),
            Real(1));
}

// --- selectors -----------------------------------------------------------------------------------

TEST(Interpreter, FindsNothingWithoutAMatchAPositiveMarginOrADirection) {
  const std::string cells =
      "cell one constant\ncell d direction 2\ncell e direction 2\ncell f flag\ncell n number 1\n"
      "given d\ngiven e\ngiven f\ninitial\n";
  const std::string add = "add n + 1/2 one + 1/2 f\n";
  const Real a(Rational(3, 5)), b(Rational(4, 5));
  const Rows rows = {{a, b, a, b, 1}, {b, a, a, b, -1}, {-a, -b, -a, b, -1}};
  // d of a token against e of the visible ones.
  expect_broken(cells + "fetch f causal find d key e\n" + add, rows,
                "token 1: no visible position matches");
  const Told self = tell(cells + "fetch f unmasked find e key e\n" + add, rows);
  ASSERT_EQ(self.broken, "");
  EXPECT_EQ(column(self.states, {4, 0}), (std::vector<Real>{Rational(1, 2), Rational(1, 2), 0}));
  const Told preferred =
      tell(cells + "fetch f unmasked find e key e prefer f=true margin one\n" + add, rows);
  EXPECT_EQ(column(preferred.states, {4, 0}), (std::vector<Real>{1, 1, 0}));
  expect_broken(cells + "fetch f unmasked find-one e key e\n" + add, rows,
                "token 0: 2 visible positions match");
  EXPECT_EQ(tell(cells + "fetch f unmasked find-one e key e and d key d\n" + add, rows).broken, "");
  // The opposite direction is no match, and the preference decides before the count.
  expect_broken(cells + "fetch f unmasked find ( - e[0] : - e[1] ) key e\n" + add, rows,
                "token 0: no visible position matches");
  const Told one =
      tell(cells + "fetch f unmasked find-one e key e prefer f=true margin one\n" + add, rows);
  EXPECT_EQ(one.broken, "");
  expect_broken(cells + "fetch f unmasked find e key e prefer f=true margin d[0]\n" + add, rows,
                "token 2: the margin is not positive");
  expect_broken(cells + "fetch f unmasked find ( + e[0] - e[0] : ) key e\n" + add, rows,
                "token 0: the wanted direction is zero");
}

TEST(Interpreter, ComparesUnderANormDirectionsAndNotLengths) {
  const std::string cells =
      "cell i number 2\ncell m number 2\ncell d direction 2\ncell n number 1\n"
      "given i position\ngiven m natural\ninitial\n";
  const Rows rows = {{0, 1, 3, 1}, {1, 1, 3, 1}};
  const Told told = tell(cells + "fetch f unmasked same m under m\ncopy d m\nadd n + m[1]\n", rows);
  ASSERT_EQ(told.broken, "");
  EXPECT_EQ(column(told.states, {2, 0}),
            (std::vector<Real>{Real::root({9, 10}), Real::root({9, 10})}));
  EXPECT_EQ(column(told.states, {3, 0}),
            (std::vector<Real>{Real::root({1, 10}), Real::root({1, 10})}));
  expect_broken(cells +
                    "fetch g causal uniform\nadd n + i[0]\nfetch f causal same n under n\n"
                    "add n + n\n",
                rows, "token 0: the group is zero and has no direction");
}

TEST(Interpreter, NearestIsTheLargestProductWithTheRationalTarget) {
  std::mt19937_64 random(laws::seed());
  const auto text_with = [](const std::string& code) {
    return "cell one constant\ncell I key " + code + "\ncell d direction 2\ncell Q pointer " +
           code + "\ngiven I\ngiven d\ninitial\nfetch f unmasked nearest d key I\ncopy Q I\n";
  };
  const std::string text = text_with("phi");
  const std::vector<std::pair<std::string, PositionCode>> codes = {
      {"phi", PositionCode::phi},
      {"phi over 2", PositionCode::phi_over(2)},
      {"phi over 9", PositionCode::phi_over(9)},
      {"fine 1", PositionCode::fine(1)},
      {"fine 2", PositionCode::fine(2)},
      {"fine 7", PositionCode::fine(7)}};
  std::size_t ties = 0;
  for (int i = 0; i < 900; ++i) {
    const auto& [name, code] = codes[random() % codes.size()];
    const std::int64_t q = 1 + static_cast<std::int64_t>(random() % 12);
    const std::int64_t p = static_cast<std::int64_t>(random() % 120) - 20;
    const Rational square(p * p + q * q);
    const std::vector<Real> target = {Real(p).divided_by_root(square),
                                      Real(q).divided_by_root(square)};
    const std::size_t tokens = 1 + random() % 9;
    Rows rows;
    std::size_t best = 0;
    std::vector<Real> products;
    for (std::size_t j = 0; j < tokens; ++j) {
      auto row = code_of(code, j);
      products.push_back(row[0] * target[0] + row[1] * target[1]);
      if (products[best] < products[j]) best = j;
      row.insert(row.end(), target.begin(), target.end());
      rows.push_back(row);
    }
    if (std::count(products.begin(), products.end(), products[best]) > 1) {
      ++ties;
      ASSERT_EQ(code.kind, PositionCode::Kind::fine);
      expect_broken(text_with(name), rows,
                    "token 0: two visible positions are equally near to " + Rational(p, q).text());
      continue;
    }
    const Told told = tell(text_with(name), rows);
    ASSERT_EQ(told.broken, "");
    const auto expected = code_of(code, best);
    EXPECT_EQ(told.states.at(0, {3, 0}), expected[0])
        << p << "/" << q << " of " << tokens << ", " << name;
    EXPECT_EQ(told.states.at(0, {3, 1}), expected[1]);
  }
  EXPECT_GT(ties, 0u);
  const auto with_target = [](const Real& x, const Real& w) {
    auto row = code_of(PositionCode::phi, 0);
    row.push_back(x);
    row.push_back(w);
    return Rows{row};
  };
  expect_broken(text, with_target(1, 0), "the denominator of the target is not positive");
  expect_broken(text, with_target(Real::root({1, 3}), Real::root({2, 3})),
                "the target is not a rational number");
}

TEST(Interpreter, QuotientsAreFoundExactlyWhereTheyAreRational) {
  std::mt19937_64 random(laws::seed());
  const auto rational = [&] {
    return Rational(static_cast<std::int64_t>(random() % 9) - 4,
                    1 + static_cast<std::int64_t>(random() % 4));
  };
  for (int i = 0; i < 2000; ++i) {
    Real b = rational();
    for (std::size_t k = random() % 3; k > 0; --k)
      b = b + Real::root(Rational(1 + static_cast<std::int64_t>(random() % 12))).scaled(rational());
    if (b.is_zero()) continue;
    const Rational factor = rational();
    EXPECT_EQ(rational_quotient(b.scaled(factor), b), factor);
    const Real other = b.scaled(factor) + Real::root(Rational(13));
    EXPECT_FALSE(rational_quotient(other, b).has_value()) << other.text() << " / " << b.text();
  }
}

// --- inputs --------------------------------------------------------------------------------------

TEST(GivenValues, AreWhatTheProgramSaysOfItsInput) {
  const Real third = Rational(1, 3), a = Rational(3, 5), b = Rational(4, 5);
  struct Case {
    std::string cell;
    Rows good, bad;  ///< bad: the values of the last token are refused
  };
  const std::vector<Case> cases = {
      {"cell x flag\ngiven x\n", {{1}, {-1}}, {{1}, {0}}},
      {"cell x onehot u v\ngiven x\n", {{1, 0}, {0, 1}}, {{a, b}}},
      {"cell x onehot u v\ngiven x\n", {{1, 0}}, {{-1, 0}}},
      {"cell x onehot u v w\ngiven x\n", {{0, 0, 1}}, {{0, 1, 1}}},
      {"cell x direction 2\ngiven x\n", {{a, -b}, {0, 1}}, {{third, third}}},
      {"cell x key phi\ngiven x\n", {code_of(PositionCode::phi, 0)}, {{1, 0}}},
      {"cell x pointer circle\ngiven x\n",
       {code_of(PositionCode::circle, 0), code_of(PositionCode::circle, 0)},
       {code_of(PositionCode::circle, 0), code_of(PositionCode::circle, 2)}},
      {"cell x number 2\ngiven x position\n", {{0, 1}, {1, 1}}, {{0, 1}, {2, 1}}},
      {"cell x number 2\ngiven x natural\n", {{7, 1}, {7, 1}}, {{7, 1}, {6, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{0, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{third, 1}}},
      {"cell x number 2\ngiven x natural\n", {{1, 1}}, {{1, 2}}}};
  for (const Case& c : cases) {
    const Program program = parse_program(kHead + c.cell, "test");
    const CellStates states = start_states(program, cells_tokens(c.good));
    for (std::size_t token = 0; token < c.good.size(); ++token)
      for (std::uint32_t i = 0; i < c.good[token].size(); ++i)
        EXPECT_EQ(states.at(token, {0, i}), c.good[token][i]);
    try {
      start_states(program, cells_tokens(c.bad));
      ADD_FAILURE() << c.cell;
    } catch (const InputError& error) {
      const std::string at = "token " + std::to_string(c.bad.size() - 1) + ": cell x ";
      EXPECT_EQ(std::string(error.what()).find(at), 0u) << error.what();
    }
    EXPECT_THROW(start_states(program, cells_tokens({{}})), InputError);
  }
}

TEST(StartStates, KnowTheTokensAndPositionsOfTheProgramOnly) {
  const auto program = [](const std::string& text) {
    return parse_program("logdepth-cells 1\n" + text, "test");
  };
  const Program framed = program(
      "alphabet a\nbegin\nend\ncell x flag\ntoken a x=true\ntoken <begin> x=false\n"
      "token <end> x=false\nat x=true\nat x=true\nat x=true\n");
  const auto tokens = [](const std::vector<std::string>& letters) {
    return word_tokens(WordInput{true, true}, letters).value();
  };
  EXPECT_EQ(start_states(framed, tokens({"a"})).tokens, 3u);
  for (const std::string unknown : {"b", "<begin>", "<end>"})
    EXPECT_THROW(start_states(framed, tokens({unknown})), InputError) << unknown;
  EXPECT_THROW(start_states(framed, tokens({"a", "a"})), InputError) << "the table has three rows";
}

TEST(StartStates, FillATableOfPositionsRowByRow) {
  const Program p = parse_program(kHead +
                                      "cell one constant\ncell d direction 2\ncell f flag\n"
                                      "cell x onehot u v\nat d=0 f=true x=v\nat x=u d=2 f=false\n",
                                  "test");
  const CellStates states = start_states(p, cells_tokens(Rows(2)));
  EXPECT_EQ(column(states, {0, 0}), (std::vector<Real>{1, 1}));
  EXPECT_EQ(column(states, {1, 0}), (std::vector<Real>{0, Rational(-4, 5)}));
  EXPECT_EQ(column(states, {1, 1}), (std::vector<Real>{1, Rational(3, 5)}));
  EXPECT_EQ(column(states, {2, 0}), (std::vector<Real>{1, -1}));
  EXPECT_EQ(column(states, {3, 0}), (std::vector<Real>{0, 1}));
  EXPECT_EQ(column(states, {3, 1}), (std::vector<Real>{1, 0}));
}

}  // namespace
}  // namespace logdepth::interpret_tests
