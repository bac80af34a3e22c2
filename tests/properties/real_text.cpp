// Exact numbers as text: whatever is printed is read back, and raw streams as a text file.

#include <gtest/gtest.h>

#include "runtime/numbers/real.hpp"
#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK  // wasm32 has none
#include <rapidcheck/gtest.h>
#endif

#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::real_text_tests { namespace {

Real drawn_real(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto fraction = [&] {
    const Rational large = *Rational::parse("123456789012345678901234567890123/7");
    const auto above = static_cast<std::int64_t>(random() % 41) - 20;
    const auto below = static_cast<std::int64_t>(random() % 9) + 1;
    return random() % 8 == 0 ? large * Rational(above) : Rational(above, below);
  };
  Real sum = random() % 2 ? Real(fraction()) : Real();
  for (auto terms = random() % 4; terms > 0; --terms)
    sum = sum + Real::root(fraction().abs()).scaled(fraction());
  return sum;
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
RC_GTEST_PROP(RealText, WhatIsPrintedIsReadBack, (std::uint64_t seed)) {
  const Real value = drawn_real(seed);
  const auto read = parse_real(value.text());
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == value);
  std::string tight;
  for (const char c : value.text())
    if (c != ' ') tight += c;
  RC_ASSERT(parse_real(tight) == value);
}
#endif

TEST(RealTextForms, FactorsBlanksAndUnreducedFractionsAreRead) {
  const Real root = Real::root(Rational(2));
  EXPECT_EQ(parse_real("1/2*sqrt(2)"), root.scaled(Rational(1, 2)));
  EXPECT_EQ(parse_real("-1/2 * sqrt( 8 )"), -root);
  EXPECT_EQ(parse_real(" 6/4 "), Real(Rational(3, 2)));
  EXPECT_EQ(parse_real("+7"), Real(7));
  EXPECT_EQ(parse_real("sqrt(4)"), Real(2));
  EXPECT_EQ(parse_real("sqrt(0)"), Real());
  EXPECT_EQ(parse_real("3-2"), Real(1));
  EXPECT_EQ(parse_real("sqrt(2)+sqrt(8)-3*sqrt(2)"), Real());
  EXPECT_EQ(parse_real("-0"), Real());
  EXPECT_EQ(parse_real("007"), Real(7));
}

TEST(RealTextForms, EverythingElseIsNoNumber) {
  for (const char* text :
       {"",         " ",      "-",      "+",        "1/",        "/2",       "1/0",  "1/-2",
        "--1",      "1--1",   "1 2",    "1+",       "0.5",       "1e3",      "sqrt", "sqrt(",
        "sqrt()",   "sqrt(2", "sqrt 2", "sqrt(-2)", "sqrt(1/0)", "2sqrt(2)", "2*3",  "sqrt(2)*2",
        "sqrt(2))", "(1)",    "pi",     "1,5",      "1/2/3",     "\xc2\xb2"})
    EXPECT_FALSE(parse_real(text).has_value()) << text;
  EXPECT_FALSE(parse_real(std::string(kMaxRealDigits + 1, '7')).has_value());
  EXPECT_TRUE(parse_real(std::string(kMaxRealDigits, '7')).has_value());
}

using Rows = std::vector<std::vector<Real>>;

TEST(RealTextForms, RawStreamsAreRowsUnderTheirNames) {
  const std::vector<std::string> names = {"x", "y"};
  EXPECT_EQ(parse_cells("x y\n1 2\n3/5 sqrt(2/5)\n", "c.txt", names),
            (Rows{{1, 2}, {Rational(3, 5), Real::root(Rational(2, 5))}}));
  // Another order of the columns, comments, blank lines, signs that stand alone, no last line end.
  EXPECT_EQ(parse_cells("# raw\n\n  y\tx # names\r\n1/2 - sqrt(3) 2\n\n-1 -1/2", "c.txt", names),
            (Rows{{2, Real(Rational(1, 2)) - Real::root(Rational(3))}, {Rational(-1, 2), -1}}));
  EXPECT_EQ(parse_cells("x y\n- 1 2 + 3\n", "c.txt", names), (Rows{{-1, 5}}));
}

std::string refusal(const std::string& text) {
  return support::refusal([&] { parse_cells(text, "c.txt", {"x", "y"}); });
}

TEST(RealTextForms, RawStreamsThatDoNotFitAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal(""), "c.txt: the file is empty; expected a first line with the names x y");
  EXPECT_EQ(refusal("# x y\n"),
            "c.txt: the file is empty; expected a first line with the names x y");
  EXPECT_EQ(refusal("x z\n"), "c.txt:1: the first line names 'z'; expected the names x y");
  EXPECT_EQ(refusal("\nx x\n"), "c.txt:2: the first line names 'x' twice");
  EXPECT_EQ(refusal("y\n"), "c.txt:1: the first line does not name 'x'");
  EXPECT_EQ(refusal("x y\n1 2\n3\n"), "c.txt:3: expected 2 values, found 1");
  EXPECT_EQ(refusal("x y\n1 2 3\n"), "c.txt:2: expected 2 values, found 3");
  EXPECT_EQ(refusal("x y\n1 0.5\n"),
            "c.txt:2: expected an exact number such as 3/5, sqrt(2/5) or 1/2-sqrt(3), found '0.5'");
  EXPECT_EQ(refusal("x y\n1 2 -\n").substr(0, 8), "c.txt:2:");
}

}}  // namespace logdepth::real_text_tests
