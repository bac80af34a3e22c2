// Real against 700-bit MPFR and, where CGAL is installed, against CORE::Expr.

#include <gtest/gtest.h>
#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK  // wasm32 has none
#include <rapidcheck/gtest.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "runtime/numbers/real.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/real_oracle.hpp"

namespace logdepth::reals_tests { namespace {

using laws::Expression;
using laws::Expressions;
using laws::Wide;
using laws::wide_of;

int to_int(std::strong_ordering order) {
  return (order > 0) - (order < 0);
}

// What the header promises of the representation; the uniqueness of a value rests on it.
std::string complaint(const Real& value) {
  const auto surds = value.surds();
  for (std::size_t i = 0; i < surds.size(); ++i) {
    if (std::abs(surds[i].sign) != 1) return "sign is not a unit: " + value.text();
    if (surds[i].radicand.sign() <= 0) return "radicand not positive: " + value.text();
    if (surds[i].radicand.square_root()) return "radicand is a square: " + value.text();
    for (std::size_t j = 0; j < i; ++j) {
      if (!(surds[j].radicand < surds[i].radicand)) return "out of order: " + value.text();
      if ((surds[j].radicand * surds[i].radicand).square_root()) {
        return "two of one class: " + value.text();
      }
    }
  }
  return "";
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
// Sums of up to four roots from few square classes, so that terms meet and cancel often.
rc::Gen<Real> any_real() {
  return rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](int bound) { return static_cast<int>(random() % bound); };
    const auto fraction = [&] { return Rational(below(9) - 4, below(4) + 1); };
    Real result = below(3) == 0 ? Real() : Real(fraction());
    const int classes[] = {1, 2, 3, 5, 6, 10, 15, 30};
    for (int terms = below(5); terms > 0; --terms) {
      result = result + Real::root(Rational(classes[below(8)], 1 + below(2))).scaled(fraction());
    }
    return result;
  });
}

RC_GTEST_PROP(RealLaws, AdditionAndMultiplicationMakeARing, ()) {
  const Real a = *any_real();
  const Real b = *any_real();
  const Real c = *any_real();
  RC_ASSERT(a + b == b + a);
  RC_ASSERT((a + b) + c == a + (b + c));
  RC_ASSERT(a * b == b * a);
  RC_ASSERT((a * b) * c == a * (b * c));
  RC_ASSERT(a * (b + c) == a * b + a * c);
  RC_ASSERT((a - a).is_zero());
  RC_ASSERT(a - b == a + -b);
  RC_ASSERT(a * Real(1) == a);
  RC_ASSERT((a * Real()).is_zero());
  for (const Real& x : {a, b, a + b, a - b, a * b, a * b * c, -a}) {
    RC_ASSERT(complaint(x) == "");
  }
}

RC_GTEST_PROP(RealLaws, TheInverseIsInTheField, ()) {
  const Real x = *rc::gen::suchThat(any_real(), [](const Real& value) { return !value.is_zero(); });
  const std::optional<Real> found = inverse(x, 3);  // of 2, 3 and 5
  RC_ASSERT(found.has_value());
  RC_ASSERT(complaint(*found) == "");
  RC_ASSERT(x * *found == Real(1));
  RC_ASSERT(inverse(x, 0).has_value() == x.is_rational());
}
#endif

TEST(RealInverse, IsAbsentWhereThereAreMoreIndependentRootsThanAsked) {
  const auto root = [](std::int64_t square) { return Real::root(Rational(square)); };
  const Real two = root(2) + root(3) + root(6);
  EXPECT_FALSE(inverse(two, 1).has_value());
  EXPECT_EQ(inverse(two, 2).value() * two, Real(1));
  EXPECT_FALSE(inverse(two + root(5), 2).has_value());
  EXPECT_EQ(inverse(root(8), 1).value(), Real::root(Rational(1, 8)));
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
RC_GTEST_PROP(RealLaws, EveryOperationAgreesWithSevenHundredBits, ()) {
  const Real a = *any_real();
  const Real b = *any_real();
  const auto close = [](const Real& x, const Wide& expected) {
    return abs(wide_of(x) - expected) < ldexp(Wide(1), -600);
  };
  RC_ASSERT(close(a + b, wide_of(a) + wide_of(b)));
  RC_ASSERT(close(a - b, wide_of(a) - wide_of(b)));
  RC_ASSERT(close(a * b, wide_of(a) * wide_of(b)));
  RC_ASSERT(close(-a, -wide_of(a)));
  RC_ASSERT(close(a.scaled(Rational(-7, 3)), wide_of(a) * -7 / 3));
  for (const Rational& square : {Rational(2), Rational(9, 4), Rational(15, 8), Rational(1, 30)}) {
    const Real divided = a.divided_by_root(square);
    RC_ASSERT(close(divided, wide_of(a) / sqrt(wide_of(square))));
    RC_ASSERT(complaint(divided) == "");
    RC_ASSERT(divided * Real::root(square) == a);
  }
}

RC_GTEST_PROP(RealLaws, EqualValuesHashEqualAndReadEqualWhateverTheRoute, ()) {
  const Real a = *any_real();
  const Real b = *any_real();
  const Real c = *any_real();
  for (const Real& route :
       {a + b - b, b + a - b, -(-a), a - (b - b), a.divided_by_root(6) * Real::root(6),
        (a + c) * (b + Real(1)) - a * b - c * b - c, a.scaled(Rational(3, 5)).scaled({5, 3})}) {
    RC_ASSERT(route == a);
    RC_ASSERT(route.hash() == a.hash());
    RC_ASSERT(route.text() == a.text());
    RC_ASSERT((route <=> a) == std::strong_ordering::equal);
  }
}

RC_GTEST_PROP(RealLaws, OrderIsTheOrderOfTheSevenHundredBitValues, ()) {
  const Real a = *any_real();
  const Real b = *any_real();
  const int expected = laws::sign_of(wide_of(a) - wide_of(b));
  RC_ASSERT(to_int(a <=> b) == expected);
  RC_ASSERT(to_int(b <=> a) == -expected);
  RC_ASSERT((a - b).sign() == expected);
  RC_ASSERT((a == b) == (expected == 0));
}
#endif

TEST(RealHash, TellsSignsRadicandsAndRationalPartsApart) {
  std::set<std::size_t> hashes;
  std::size_t values = 0;
  for (int part = -3; part <= 3; ++part) {
    for (const int first : {2, 3, 5, 7, 11}) {
      for (const int second : {13, 17, 19, 23}) {
        const Real root = Real::root(first);
        const Real other = Real::root(second);
        for (const Real& x : {root + other, root - other, other - root, -root - other}) {
          hashes.insert((x + Real(part)).hash());
          ++values;
        }
      }
    }
  }
  EXPECT_EQ(hashes.size(), values);
}

TEST(RealText, IsExactAndOrderedByRadicand) {
  const auto root = [](std::int64_t top, std::int64_t bottom = 1) {
    return Real::root(Rational(top, bottom));
  };
  EXPECT_EQ(Real().text(), "0");
  EXPECT_EQ(Real(Rational(3, 5)).text(), "3/5");
  EXPECT_EQ(root(2, 5).text(), "sqrt(2/5)");
  EXPECT_EQ(root(4, 9).text(), "2/3");
  EXPECT_EQ(root(0).text(), "0");
  EXPECT_EQ((Real(Rational(1, 2)) - root(3)).text(), "1/2 - sqrt(3)");
  EXPECT_EQ((-root(3)).text(), "-sqrt(3)");
  EXPECT_EQ((root(7) - root(3) - Real(1) + root(5, 2)).text(),
            "-1 + sqrt(5/2) - sqrt(3) + sqrt(7)");
  EXPECT_EQ((root(2) + root(8)).text(), "sqrt(18)");
  EXPECT_EQ((root(2) + root(8) - root(18)).text(), "0");
  EXPECT_EQ((root(2) - root(8)).text(), "-sqrt(2)");
  EXPECT_EQ((root(1, 2) + root(2)).text(), "sqrt(9/2)");
  EXPECT_EQ((root(2) * root(8)).text(), "4");
  EXPECT_EQ(((root(2) + root(3)) * (root(2) - root(3))).text(), "-1");
  EXPECT_EQ(((Real(1) + root(2)) * (Real(1) + root(2))).text(), "3 + sqrt(8)");
}

// Compares Real's sign, and its comparison of the two sides, with an oracle on every family.
template <typename Oracle>
void expect_signs_agree(int rounds_per_family, Expressions expressions, Oracle oracle) {
  for (int family = 0; family < Expressions::families; ++family) {
    int seen[3] = {0, 0, 0};
    for (int round = 0; round < rounds_per_family; ++round) {
      const Expression expression = expressions.of(family);
      const Real value = laws::evaluate<Real>(expression);
      const int expected = oracle(expression);
      ++seen[expected + 1];
      ASSERT_EQ(value.sign(), expected) << "family " << family << ": " << value.text();
      ASSERT_EQ(value.is_zero(), expected == 0) << "family " << family << ": " << value.text();
      ASSERT_EQ(complaint(value), "");
      if (expression.parts.size() != 2) continue;
      Expression right = expression.parts[1];
      if (expression.kind == Expression::Kind::product) continue;
      if (expression.kind == Expression::Kind::sum) right = laws::fraction(0) - right;
      const Real a = laws::evaluate<Real>(expression.parts[0]);
      const Real b = laws::evaluate<Real>(right);
      ASSERT_EQ(to_int(a <=> b), expected) << a.text() << " against " << b.text();
      ASSERT_EQ(to_int(b <=> a), -expected) << a.text() << " against " << b.text();
    }
    std::cout << "family " << family << ": " << seen[0] << " negative, " << seen[1] << " zero, "
              << seen[2] << " positive\n";
    // Each family must exercise what it is named for.
    if (family == Expressions::random_sums || family == Expressions::near_ties) {
      EXPECT_GT(seen[0], rounds_per_family / 10);
      EXPECT_GT(seen[2], rounds_per_family / 10);
    } else {
      EXPECT_GT(seen[1], rounds_per_family / 4);
    }
  }
}

TEST(RealSign, AgreesWithSevenHundredBitsOnRandomTiedAndNearlyTiedSums) {
  expect_signs_agree(8000, Expressions(laws::seed()),
                     [](const Expression& x) { return laws::sign_of(laws::evaluate<Wide>(x)); });
}

TEST(RealSign, AgreesWithCoreOnRandomTiedAndNearlyTiedSums) {
#if LOGDEPTH_HAS_CORE
  expect_signs_agree(4000, Expressions(laws::seed(), true),
                     [](const Expression& x) { return laws::evaluate<CORE::Expr>(x).sign(); });
#else
  GTEST_SKIP() << "CGAL/CORE/Expr.h NOT FOUND: signs are checked against 700-bit MPFR ONLY. "
                  "Install libcgal-dev to check them against an independent exact type.";
#endif
}

TEST(RealSign, IsRightWhenCancellationNeedsHundredsOfBits) {
  // (sqrt2 - 1)^n is positive and about 2^(-1.27 n) with coefficients about 2^(1.27 n); times
  // sqrt3 - sqrt5 or 2 - sqrt3 it has four terms, so that only the intervals can decide.
  const Real base = Real::root(2) - Real(1);
  const Real below_zero = Real::root(3) - Real::root(5);
  const Real above_zero = Real(2) - Real::root(3);
  Real power(1);
  for (int n = 1; n <= 220; ++n) {
    power = power * base;
    ASSERT_EQ(power.sign(), 1) << n;
    ASSERT_EQ((-power).sign(), -1) << n;
    ASSERT_EQ((power * below_zero).sign(), -1) << n;
    ASSERT_EQ((power * above_zero).sign(), 1) << n;
    ASSERT_EQ((power * below_zero * above_zero).sign(), -1) << n;
    // Without its rational part it is two surds, decided by squares.
    ASSERT_EQ((power * Real::root(3)).sign(), 1) << n;
    ASSERT_LT(power * base, power) << n;
    ASSERT_GT(power * base * Real::root(5), power * base * Real::root(3)) << n;
  }
}

TEST(RealSign, IsRightBeyondTheRangeOfDouble) {
  mpz_class huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 400);
  for (const Rational& size : {Rational(mpq_class(huge)), Rational(mpq_class(huge)).inverse()}) {
    const Real root = Real::root(size * Rational(2));
    const Real other = Real::root(size * Rational(3));
    EXPECT_EQ((root - other).sign(), -1);
    EXPECT_EQ((other - root).sign(), 1);
    EXPECT_EQ((root + other).sign(), 1);
    EXPECT_EQ((-root - other).sign(), -1);
    EXPECT_LT(root, other);
    EXPECT_GT(-root, -other);
    EXPECT_LT(root + other, other + other);
    EXPECT_EQ((root + other - Real::root(size * Rational(5))).sign(), 1);
    EXPECT_EQ((root + Real(size) <=> root + Real(size)), std::strong_ordering::equal);
  }
}

void expect_bound_holds(const Real& value) {
  const Approximation near = value.approximate();
  ASSERT_GE(near.bound, 0) << value.text();
  if (std::isinf(near.bound)) return;
  // Both sides are exact to 700 bits, so a spare 2^-600 hides nothing.
  const Wide error = abs(Wide(near.value) - wide_of(value));
  ASSERT_LE(error, Wide(near.bound) + ldexp(abs(wide_of(value)), -600)) << value.text();
}

TEST(RealApproximation, StaysWithinItsBoundAndTheBoundIsTight) {
  Expressions expressions(laws::seed() + 7);
  for (int round = 0; round < 10000; ++round) {
    const Real value = laws::evaluate<Real>(expressions.of(round % Expressions::families));
    expect_bound_holds(value);
    Wide sizes = abs(wide_of(value.rational_part()));
    for (const Real::Surd& surd : value.surds()) sizes += sqrt(wide_of(surd.radicand));
    ASSERT_LE(Wide(value.approximate().bound),
              (value.surds().size() + 8) * ldexp(sizes, -53) + ldexp(sizes, -80))
        << value.text();
    if (HasFatalFailure()) return;
  }
}

TEST(RealApproximation, HoldsForManyTermsAndForLargeParts) {
  std::mt19937_64 random(laws::seed());
  for (int round = 0; round < 40; ++round) {
    Real value;
    for (int k = 0; k < 60; ++k) {
      const auto top = static_cast<std::int64_t>(random() >> (1 + random() % 60));
      const auto bottom = static_cast<std::int64_t>(random() >> (1 + random() % 60));
      const Real term = Real::root(Rational(top + 1, bottom + 1));
      value = random() % 2 == 0 ? value + term : value - term;
    }
    expect_bound_holds(value);
    expect_bound_holds(Real(value.surds().front().radicand));
    ASSERT_TRUE(std::isfinite(value.approximate().bound));
  }
  mpz_class huge;
  mpz_ui_pow_ui(huge.get_mpz_t(), 10, 400);
  const Real near_three(Rational(mpq_class(huge * 3 + 1, huge)));
  EXPECT_TRUE(std::isfinite(near_three.approximate().bound));
  expect_bound_holds(near_three);
  expect_bound_holds(near_three + Real::root(Rational(mpq_class(huge, huge * 7 + 1))));
}

TEST(RealApproximation, IsExactForIntegersAndDistrustsExtremes) {
  for (const std::int64_t x : {std::int64_t{0}, std::int64_t{-3}, (std::int64_t{1} << 53) - 1}) {
    EXPECT_EQ(Real(x).approximate().value, static_cast<double>(x));
    EXPECT_EQ(Real(x).approximate().bound, 0);
  }
  for (const std::int64_t x :
       {(std::int64_t{1} << 53) + 1, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    EXPECT_GT(Real(x).approximate().bound, 0);
    expect_bound_holds(Real(x));
  }
  expect_bound_holds(Rational(1, 3));
  EXPECT_GT(Real(Rational(1, 3)).approximate().bound, 0);
  for (const unsigned exponent : {160U, 310U, 400U}) {
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10, exponent);
    const Rational large{mpq_class(power)};
    for (const Rational& size : {large, large.inverse()}) {
      for (const Real& value : {Real(size), Real(1) + Real(size), Real(-size)}) {
        EXPECT_EQ(std::isinf(value.approximate().bound),
                  !(value == Real(1) + Real(size) && size < Rational(1)));
        expect_bound_holds(value);
      }
      EXPECT_TRUE(std::isinf((Real::root(size * size * Rational(2))).approximate().bound));
      EXPECT_TRUE(
          std::isinf((Real(1) + Real::root(size * size * Rational(2))).approximate().bound));
    }
  }
}

Real norm_squared(const std::vector<Real>& vector) {
  Real result;
  for (const Real& x : vector) result = result + x * x;
  return result;
}

// The direction is a unit vector, and a positive multiple of the vector: equal signs, and all
// two-by-two minors vanish.
void expect_direction_of(const std::vector<Real>& vector) {
  const auto found = direction(vector);
  ASSERT_TRUE(found.has_value());
  ASSERT_EQ(found->size(), vector.size());
  ASSERT_EQ(norm_squared(*found).text(), "1");
  for (std::size_t i = 0; i < vector.size(); ++i) {
    ASSERT_EQ((*found)[i].sign(), vector[i].sign());
    ASSERT_EQ(complaint((*found)[i]), "");
    for (std::size_t j = 0; j < i; ++j) {
      ASSERT_EQ((*found)[i] * vector[j], (*found)[j] * vector[i]);
    }
  }
}

TEST(Direction, OfZeroAndOfNothingIsItself) {
  EXPECT_EQ(direction(std::vector<Real>{}), std::vector<Real>{});
  EXPECT_EQ(direction(std::vector<Real>(3)), std::vector<Real>(3));
}

TEST(Direction, OfAVectorWithRationalNormIsTheQuotient) {
  const std::vector<Real> three_four = {Real(3), Real(-4)};
  EXPECT_EQ(direction(three_four)->at(0), Real(Rational(3, 5)));
  EXPECT_EQ(direction(three_four)->at(1), Real(Rational(-4, 5)));
  for (std::int64_t i = -30; i <= 30; ++i) expect_direction_of({Real(i), Real(1)});
  expect_direction_of({Real::root(2), Real(0), -Real::root(3), Real(Rational(7, 2))});
  // (1 + sqrt2, 1 - sqrt2): the cross terms of the squares cancel, norm^2 = 6.
  expect_direction_of({Real(1) + Real::root(2), Real(1) - Real::root(2)});
  expect_direction_of({Real::root(2) + Real::root(3), Real::root(2) - Real::root(3), Real(1)});
  std::mt19937_64 random(laws::seed());
  for (int round = 0; round < 300; ++round) {
    std::vector<Real> vector;
    for (int k = 0; k < 4; ++k) {
      const Rational square(static_cast<std::int64_t>(random() % 50), 1 + random() % 20);
      const Real x = Real::root(square);
      vector.push_back(random() % 2 == 0 ? x : -x);
    }
    if (!norm_squared(vector).is_zero()) expect_direction_of(vector);
    if (HasFatalFailure()) return;
  }
}

#ifndef LOGDEPTH_WITHOUT_RAPIDCHECK
RC_GTEST_PROP(Direction, OfRationalMultiplesOfOneNumberIsThatOfTheMultiples, ()) {
  const Real y = *any_real();
  const auto factors = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-5, 6));
  std::vector<Real> vector;
  std::vector<Real> multiples;
  for (const int factor : factors) {
    vector.push_back(y.scaled(Rational(factor, 3)));
    multiples.push_back(Real(factor * y.sign()));
  }
  RC_ASSERT(direction(vector) == direction(multiples));
}
#endif

TEST(Direction, OfASingleComponentIsItsSign) {
  const Real x = Real(1) - Real::root(2);  // its norm leaves the field, its sign does not
  EXPECT_EQ(direction(std::vector<Real>{x}), std::vector<Real>{Real(-1)});
  EXPECT_EQ(direction(std::vector<Real>{Real(0), -x, Real(0)}),
            (std::vector<Real>{Real(0), Real(1), Real(0)}));
  const std::vector<Real> pair = {x, -x};
  EXPECT_EQ(direction(pair), (std::vector<Real>{-Real::root({1, 2}), Real::root({1, 2})}));
}

TEST(Direction, IsAbsentWhenTheNormLeavesTheField) {
  const Real x = Real(1) + Real::root(2);
  const Real roots = Real::root(2) + Real::root(3);
  const std::vector<std::vector<Real>> outside = {
      {x, Real(1)},
      {Real(1), x},
      {Real(0), x, Real::root(2)},
      {roots, Real::root(2)},
      {x, Real(1) + Real::root(3)},
      {x, x.scaled(2), x + Real(1)},
      {roots, Real::root(2) - Real::root(3), x},
      {roots, Real::root(8) + Real::root(3)},
      {roots, Real::root(8) + Real::root(27)},
      {roots, Real::root(2) - Real::root(12)},
  };
  for (const auto& vector : outside) EXPECT_FALSE(direction(vector).has_value());
}

}}  // namespace logdepth::reals_tests
