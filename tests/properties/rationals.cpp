// Rational against an independent exact type (Boost's cpp_rational, which does not use GMP), with
// values gathered around the places where int64 and its products end.

#include <gtest/gtest.h>
#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK  // wasm32 has none
#include <rapidcheck/gtest.h>
#endif

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/numbers/rational.hpp"
#include "tests/support/fixed_seed.hpp"

namespace logdepth::rationals_tests { namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

cpp_int power_of_two(unsigned exponent) {
  return cpp_int(1) << exponent;
}

// Boost 1.74 throws when a cpp_rational is made with a negative denominator.
cpp_rational ratio(cpp_int top, cpp_int bottom) {
  if (bottom < 0) {
    top = -top;
    bottom = -bottom;
  }
  return cpp_rational(top, bottom);
}

cpp_rational inverse(const cpp_rational& x) {
  return ratio(denominator(x), numerator(x));
}

std::string text_of(const cpp_rational& value) {
  const cpp_int bottom = denominator(value);
  return numerator(value).str() + (bottom == 1 ? "" : "/" + bottom.str());
}

bool fits(const cpp_int& value) {
  return value >= kMin && value <= kMax;
}

Rational rational_of(const cpp_rational& value) {
  const cpp_int top = numerator(value);
  const cpp_int bottom = denominator(value);
  if (fits(top) && fits(bottom)) {
    return Rational(top.convert_to<std::int64_t>(), bottom.convert_to<std::int64_t>());
  }
  return Rational(mpq_class(text_of(value)));
}

// The value is the expected one, and so is its form: the same value reached through GMP, through
// text and through a copy is equal and hashes equal, which fails when a value that fits in int64
// stays in GMP, the other way about, or when it is not in lowest terms.
void expect_is(const Rational& actual, const cpp_rational& expected) {
  const std::string text = text_of(expected);
  ASSERT_EQ(actual.text(), text);
  const Rational by_gmp{mpq_class(text)};
  const auto by_text = Rational::parse(text);
  const Rational by_copy = actual;  // NOLINT: the copy is the subject
  ASSERT_TRUE(by_text.has_value()) << text;
  for (const Rational& other : {by_gmp, *by_text, by_copy}) {
    ASSERT_EQ(actual, other) << text;
    ASSERT_EQ(actual.hash(), other.hash()) << text;
    ASSERT_EQ(actual <=> other, std::strong_ordering::equal) << text;
  }
  ASSERT_EQ(actual.sign(), expected.sign()) << text;
  ASSERT_EQ(actual.is_zero(), expected.is_zero()) << text;
  ASSERT_EQ(actual.is_one(), expected == 1) << text;
  ASSERT_EQ(actual.is_integer(), denominator(expected) == 1) << text;
  const cpp_int size = abs(numerator(expected));
  ASSERT_EQ(actual.numerator_bits(), size.is_zero() ? 0 : msb(size) + 1) << text;
  ASSERT_EQ(actual.denominator_bits(), msb(denominator(expected)) + 1) << text;
  ASSERT_EQ(actual.to_mpq(), mpq_class(text));
}

// Around the ends of int32 and int64, of their products, of the exact integers of double, and of
// the products of two wide values.
std::vector<cpp_int> boundary_integers() {
  std::vector<cpp_int> result;
  for (int x = -6; x <= 6; ++x) result.emplace_back(x);
  for (const unsigned exponent : {31U, 32U, 53U, 62U, 63U, 64U, 126U, 127U, 128U}) {
    for (int x = -2; x <= 2; ++x) {
      result.push_back(power_of_two(exponent) + x);
      result.push_back(-power_of_two(exponent) + x);
    }
  }
  result.push_back(cpp_int(3037000499) * 3037000499);  // the largest square below 2^63
  result.push_back(cpp_int(2) * 3 * 5 * 7 * 11 * 13 * 17 * 19 * 23 * 29 * 31 * 37);
  return result;
}

class Values {
 public:
  explicit Values(std::uint64_t seed) : random_(seed) {}

  cpp_int integer() {
    if (random_() % 3 == 0) {
      const auto bits = static_cast<unsigned>(random_() % 70);
      const cpp_int size = cpp_int(random_()) * random_() % power_of_two(bits);
      return random_() % 2 == 0 ? size : cpp_int(-size);
    }
    return boundary_[random_() % boundary_.size()];
  }

  cpp_rational fraction() {
    cpp_int bottom = random_() % 4 == 0 ? cpp_int(1) : integer();
    if (bottom.is_zero()) bottom = 1;
    return ratio(integer(), bottom);
  }

 private:
  std::mt19937_64 random_;
  std::vector<cpp_int> boundary_ = boundary_integers();
};

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
// Small fractions and boundary fractions in equal shares.
rc::Gen<Rational> any_rational() {
  const auto small = rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-60, 61), rc::gen::inRange(1, 41)),
      [](const std::pair<int, int>& parts) { return Rational(parts.first, parts.second); });
  const auto wild = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t seed) {
    return rational_of(Values(seed).fraction());
  });
  return rc::gen::oneOf(small, wild);
}
#endif

TEST(Rationals, FourOperationsAndOrderAgreeWithBoostAroundTheEndsOfInt64) {
  Values values(laws::seed());
  int promoted = 0;
  int demoted = 0;
  const auto is_small = [](const cpp_rational& x) {
    return fits(numerator(x)) && fits(denominator(x));
  };
  for (int round = 0; round < 30000; ++round) {
    const cpp_rational a = values.fraction();
    const cpp_rational b =
        round % 10 == 0 ? cpp_rational(-a + values.integer()) : values.fraction();
    const Rational x = rational_of(a);
    const Rational y = rational_of(b);
    SCOPED_TRACE(text_of(a) + " and " + text_of(b));
    expect_is(x + y, a + b);
    expect_is(x - y, a - b);
    expect_is(x * y, a * b);
    expect_is(-x, -a);
    expect_is(x.abs(), abs(a));
    if (!b.is_zero()) {
      expect_is(x / y, a * inverse(b));
      expect_is(y.inverse(), inverse(b));
    }
    ASSERT_EQ((x <=> y) < 0, a < b);
    ASSERT_EQ((x <=> y) > 0, a > b);
    ASSERT_EQ(x == y, a == b);
    if (HasFatalFailure()) return;
    const bool inputs_small = is_small(a) && is_small(b);
    promoted += inputs_small && !is_small(a * b);
    demoted += !inputs_small && is_small(a + b);
  }
  std::cout << "promotions " << promoted << ", demotions " << demoted << "\n";
  EXPECT_GT(promoted, 1000);
  EXPECT_GT(demoted, 100);
}

TEST(Rationals, AllPairsOfBoundaryIntegersAddMultiplyAndDivideAsInBoost) {
  const auto integers = boundary_integers();
  for (const cpp_int& a : integers) {
    for (const cpp_int& b : integers) {
      const Rational x = rational_of(a);
      const Rational y = rational_of(b);
      ASSERT_EQ((x + y).text(), cpp_int(a + b).str());
      ASSERT_EQ((x - y).text(), cpp_int(a - b).str());
      ASSERT_EQ((x * y).text(), cpp_int(a * b).str());
      ASSERT_EQ(x < y, a < b);
      if (!b.is_zero()) {
        ASSERT_EQ((x / y).text(), text_of(ratio(a, b)));
      }
      if (fits(a) && fits(b) && !b.is_zero()) {
        expect_is(Rational(a.convert_to<std::int64_t>(), b.convert_to<std::int64_t>()),
                  ratio(a, b));
      }
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Rationals, TheLeastInt64IsHandledByEveryOperation) {
  const cpp_rational least(kMin);
  expect_is(Rational(kMin), least);
  expect_is(-Rational(kMin), -least);
  expect_is(-(-Rational(kMin)), least);
  expect_is(Rational(kMin).abs(), -least);
  expect_is(Rational(kMin).inverse(), inverse(least));
  expect_is(Rational(kMin).inverse().inverse(), least);
  expect_is(Rational(kMin, kMin), 1);
  expect_is(Rational(kMin, -1), -least);
  expect_is(Rational(1, kMin), inverse(least));
  expect_is(Rational(kMin, kMax), ratio(kMin, kMax));
  expect_is(Rational(kMax, kMin), ratio(kMax, kMin));
  expect_is(Rational(kMin) * Rational(-1), -least);
  expect_is(Rational(kMin) / Rational(-1), -least);
  expect_is(Rational(kMin) - Rational(kMin), 0);
  expect_is(Rational(0) - Rational(kMin), -least);
  expect_is(Rational(kMax) + Rational(1) - Rational(1), kMax);
  expect_is(Rational(kMin) - Rational(1) + Rational(1), kMin);
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
RC_GTEST_PROP(RationalLaws, AdditionAndMultiplicationMakeAField, ()) {
  const Rational a = *any_rational();
  const Rational b = *any_rational();
  const Rational c = *any_rational();
  RC_ASSERT(a + b == b + a);
  RC_ASSERT((a + b) + c == a + (b + c));
  RC_ASSERT(a * b == b * a);
  RC_ASSERT((a * b) * c == a * (b * c));
  RC_ASSERT(a * (b + c) == a * b + a * c);
  RC_ASSERT(a + Rational() == a);
  RC_ASSERT(a * Rational(1) == a);
  RC_ASSERT((a - a).is_zero());
  RC_ASSERT(a - b == a + -b);
  if (!b.is_zero()) {
    RC_ASSERT((b * b.inverse()).is_one());
    RC_ASSERT(a / b * b == a);
  }
}

RC_GTEST_PROP(RationalLaws, ValuesReachedByDifferentRoutesAreEqualAndHashEqual, ()) {
  const Rational a = *any_rational();
  const Rational b = *any_rational();
  std::vector<Rational> routes = {
      a + b - b, b + a - b, -(-a), a - b + b, *Rational::parse(a.text()), Rational(a.to_mpq())};
  if (!b.is_zero()) routes.push_back(a * b / b);
  Rational in_place = a;
  in_place += b;
  in_place *= Rational(3);
  in_place -= b * Rational(3);
  routes.push_back(in_place / Rational(3));
  for (const Rational& route : routes) {
    RC_ASSERT(route == a);
    RC_ASSERT(route.hash() == a.hash());
    RC_ASSERT(route.text() == a.text());
  }
}

RC_GTEST_PROP(RationalLaws, OrderIsTotalAndCompatibleWithTheOperations, ()) {
  const Rational a = *any_rational();
  const Rational b = *any_rational();
  const Rational c = *any_rational();
  RC_ASSERT((a <=> b) == (0 <=> (b <=> a)));
  RC_ASSERT((a <=> b) == ((a - b).sign() <=> 0));
  RC_ASSERT((a < b) == (a + c < b + c));
  if (c.sign() > 0) RC_ASSERT((a < b) == (a * c < b * c));
  if (a < b && b < c) RC_ASSERT(a < c);
}
#endif

TEST(Rationals, HashesOfDifferentValuesRarelyCollide) {
  std::unordered_set<std::size_t> hashes;
  std::size_t values = 0;
  for (int top = -200; top <= 200; ++top) {
    for (int bottom = 1; bottom <= 60; ++bottom) {
      if (std::gcd(top, bottom) != 1) continue;
      ++values;
      hashes.insert(Rational(top, bottom).hash());
      // The same shape above int64, where the hash reads the limbs.
      ++values;
      hashes.insert((Rational(kMax) * Rational(8) + Rational(top, bottom)).hash());
    }
  }
  EXPECT_EQ(hashes.size(), values);
}

TEST(Rationals, CopiesAreIndependentAndMovedFromValuesCanBeReused) {
  const Rational large = Rational(kMax) * Rational(kMax);
  for (const Rational& original : {Rational(2, 3), large}) {
    Rational copy = original;
    copy += Rational(1);
    EXPECT_EQ(copy - Rational(1), original);
    Rational moved = std::move(copy);
    EXPECT_EQ(moved - Rational(1), original);
    copy = original;  // NOLINT: assigning to a moved-from value is the subject
    EXPECT_EQ(copy, original);
    copy = Rational(5);
    EXPECT_EQ(copy, Rational(5));
    copy = large;
    EXPECT_EQ(copy, large);
    const Rational small(7, 2);
    copy = small;
    EXPECT_EQ(copy, small);
    EXPECT_EQ(copy.text(), "7/2");
    copy = large;
    const Rational& itself = copy;
    copy = itself;
    EXPECT_EQ(copy, large);
    copy -= copy;
    EXPECT_TRUE(copy.is_zero());
  }
}

TEST(RationalText, IsReadBackAndNothingElseIsRead) {
  for (const char* text : {"0", "1", "-1", "10", "-7/3", "2/9", "9223372036854775807",
                           "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
                           "1/9223372036854775807", "1/9223372036854775808", "999999999999999999",
                           "1000000000000000000", "-123456789012345678901234567890/11"}) {
    const auto value = Rational::parse(text);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(value->text(), text);
    expect_is(*value, cpp_rational(text));
  }
  for (const std::string text : {"",
                                 "-",
                                 "+1",
                                 " 1",
                                 "1 ",
                                 "00",
                                 "01",
                                 "-01",
                                 "-0",
                                 "1/",
                                 "/2",
                                 "1/0",
                                 "1/1",
                                 "2/4",
                                 "0/5",
                                 "0/1",
                                 "-0/3",
                                 "1/-2",
                                 "1/+2",
                                 "1/02",
                                 "--1",
                                 "1//2",
                                 "1/2/3",
                                 "1.5",
                                 "1e3",
                                 "0x10",
                                 "1_0",
                                 "100000000000000000000/10",
                                 "3/100000000000000000002",
                                 "10000000000000000000000/1",
                                 "1/00000000000000000000000003",
                                 "000000000000000000000000000001",
                                 "a",
                                 "1a",
                                 "1/a",
                                 "1/2a"}) {
    EXPECT_FALSE(Rational::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Rational::parse(std::string_view("1\0", 2)).has_value());
  EXPECT_FALSE(Rational::parse(std::string_view("100000000000000000000\0", 22)).has_value());
}

// |value.approximate() - value| is at most the distance to the next double away from zero.
void expect_within_one_unit(const Rational& value) {
  const double near = value.approximate();
  ASSERT_TRUE(std::isfinite(near)) << value.text();
  const double above = std::nextafter(std::abs(near), std::numeric_limits<double>::infinity());
  const mpq_class unit = mpq_class(above) - mpq_class(std::abs(near));
  ASSERT_LE(abs(mpq_class(near) - value.to_mpq()), unit) << value.text();
}

TEST(RationalApproximation, IsWithinOneUnitInTheLastPlace) {
  Values values(laws::seed() + 1);
  for (int round = 0; round < 20000; ++round) {
    expect_within_one_unit(rational_of(values.fraction()));
    if (HasFatalFailure()) return;
  }
}

TEST(RationalApproximation, SurvivesPartsBeyondTheRangeOfDouble) {
  const auto power = [](unsigned exponent) {
    mpz_class result;
    mpz_ui_pow_ui(result.get_mpz_t(), 10, exponent);
    return result;
  };
  expect_within_one_unit(Rational(mpq_class(power(400) * 3 + 1, power(400) + 7)));
  expect_within_one_unit(Rational(mpq_class(-power(500) - 1, power(201))));
  expect_within_one_unit(Rational(mpq_class(power(201), power(500) + 1)));
  expect_within_one_unit(Rational(mpq_class(power(1), power(320) + 1)));  // a subnormal double
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Rational(mpq_class(power(400))).approximate(), infinity);
  EXPECT_EQ(Rational(mpq_class(-power(400))).approximate(), -infinity);
  EXPECT_EQ(Rational(mpq_class(mpz_class(1), power(400))).approximate(), 0);
  EXPECT_EQ(Rational(1, 3).approximate(), 1.0 / 3);
  EXPECT_EQ(Rational(-7).approximate(), -7);
}

TEST(RationalSquareRoot, IsTheRootOfEverySquareAndAbsentOtherwise) {
  Values values(laws::seed() + 2);
  for (int round = 0; round < 10000; ++round) {
    const Rational a = rational_of(values.fraction());
    const Rational square = a * a;
    ASSERT_EQ(square.square_root(), a.abs()) << a.text();
    if (a.is_zero()) continue;
    ASSERT_EQ((-square).square_root(), std::nullopt) << a.text();
    // A square times a non-square is not a square.
    for (const Rational& factor : {Rational(2), Rational(3, 5), Rational(1, 7), Rational(40)}) {
      ASSERT_EQ((square * factor).square_root(), std::nullopt) << a.text();
    }
  }
}

TEST(RationalSquareRoot, FindsExactlyTheSmallSquares) {
  std::int64_t root = 0;
  for (std::int64_t x = 0; x <= 1000000; ++x) {
    if ((root + 1) * (root + 1) == x) ++root;
    const auto found = Rational(x).square_root();
    ASSERT_EQ(found.has_value(), root * root == x) << x;
    if (found) {
      ASSERT_EQ(*found, Rational(root));
    }
  }
}

TEST(RationalSquareRoot, IsExactNearTheLargestSquares) {
  for (std::int64_t root = 3037000499; root > 3037000499 - 3000; --root) {
    const std::int64_t square = root * root;
    ASSERT_EQ(Rational(square).square_root(), Rational(root));
    for (const std::int64_t x : {square - 1, square + 1, square - root, square + 64}) {
      ASSERT_EQ(Rational(x).square_root(), std::nullopt) << x;
    }
  }
}

}}  // namespace logdepth::rationals_tests
