// Roots of roots against 714-bit MPFR and, where CGAL is installed, against CORE::Expr.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/numbers/nested_radical.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/nested_oracle.hpp"

namespace logdepth::nested_radicals_tests { namespace {

using laws::Nested;
using laws::NestedExpressions;
using laws::TowerLeaves;
using laws::Wide;
using laws::WideLeaves;

/// Numbers in one tower, with the operators that their text has.
struct Numbers {
  RadicalTower tower;
  TowerLeaves leaves{tower};

  NestedRadical of(const Nested& expression) { return expression.evaluate(leaves); }
  int sign(const Nested& expression) { return tower.sign(of(expression)); }
};

Nested integer(std::int64_t value) {
  return Nested::fraction(value);
}
Nested root(std::int64_t value) {
  return Nested::root(integer(value));
}

/// The same where every number of more than two summands has a name.
struct Names {
  RadicalTower tower{2};
  struct Leaves : TowerLeaves {
    Number sum(const Number& a, const Number& b) const { return tower.named(a + b); }
    Number difference(const Number& a, const Number& b) const { return tower.named(a - b); }
    Number product(const Number& a, const Number& b) const {
      return tower.named(tower.product(a, b));
    }
  } leaves{{tower}};

  NestedRadical of(const Nested& expression) { return expression.evaluate(leaves); }
};

template <class AllNumbers = Numbers, class Oracle>
void expect_signs_agree(int rounds_per_family, NestedExpressions expressions, Oracle oracle) {
  RadicalTower::Statistics total;
  for (int family = 0; family < NestedExpressions::families; ++family) {
    std::array<int, 3> seen{};
    for (int round = 0; round < rounds_per_family; ++round) {
      const Nested expression = expressions.of(family);
      AllNumbers numbers;
      const int expected = oracle(expression);
      ++seen.at(static_cast<std::size_t>(expected + 1));
      const NestedRadical value = numbers.of(expression);
      ASSERT_EQ(numbers.tower.sign(value), expected) << expression.text();
      ASSERT_EQ(numbers.tower.sign(-value), -expected) << expression.text();
      total += numbers.tower.statistics();
    }
    std::cout << "family " << family << ": " << seen[0] << " negative, " << seen[1] << " zero, "
              << seen[2] << " positive\n";
    // Each family must exercise what it is named for.
    if (family == NestedExpressions::random_sums || family == NestedExpressions::near_zero) {
      EXPECT_GT(seen[0], rounds_per_family / 5);
      EXPECT_GT(seen[2], rounds_per_family / 5);
    } else {
      EXPECT_GT(seen[0], rounds_per_family / 10);
      EXPECT_GT(seen[1], rounds_per_family / 4);
      EXPECT_GT(seen[2], rounds_per_family / 10);
    }
  }
  std::cout << total.roots << " roots, " << total.by_enclosure << " signs by enclosures, "
            << total.by_elimination << " by elimination, of these " << total.zeros << " zero\n";
  EXPECT_GT(total.by_elimination, static_cast<std::uint64_t>(rounds_per_family / 2));
}

TEST(NestedRadicalSign, AgreesWithSevenHundredBitsOnHiddenZerosAndBesideThem) {
  expect_signs_agree(800, NestedExpressions(laws::seed()), [](const Nested& expression) {
    WideLeaves leaves;
    return laws::sign_of(expression.evaluate(leaves));
  });
}

TEST(NestedRadicalSign, IsTheSameWhereLongNumbersHaveNames) {
  WideLeaves wide;
  expect_signs_agree<Names>(
      400, NestedExpressions(laws::seed() + 1),
      [&](const Nested& expression) { return laws::sign_of(expression.evaluate(wide)); });
}

TEST(NestedRadicalNames, AreOneForEqualPolynomialsAndTheirMultiples) {
  RadicalTower tower(2);
  const NestedRadical root = tower.inverse_root(Real(1) + Real::root(Rational(2))).value();
  const NestedRadical negative = root + Real::root(Rational(3)) - Real(5);
  const NestedRadical name = tower.named(negative);
  ASSERT_EQ(name.terms().size(), 1u);
  EXPECT_EQ(tower.sign(name), -1);
  EXPECT_EQ(tower.named(negative.scaled(Rational(-3, 7))), name.scaled(Rational(-3, 7)));
  EXPECT_EQ(tower.named(root + Real(1)), root + Real(1)) << "short";
  // Not of what is a multiple in its first terms alone.
  EXPECT_NE(tower.named(negative + Real(1)).terms().front().monomial,
            name.terms().front().monomial);
  // What a name hides: of one, of its square, and of two beside one another.
  const auto square = [&](const NestedRadical& x) { return tower.product(x, x); };
  EXPECT_EQ(tower.sign(name - negative), 0);
  EXPECT_EQ(tower.sign(square(name) - square(negative)), 0);
  EXPECT_EQ(
      tower.sign(name + tower.named(root.scaled(Rational(2)) - Real::root(Rational(3)) + Real(5)) -
                 root.scaled(Rational(3))),
      0);
  const Real little(Rational(mpq_class(mpz_class(1), mpz_class(1) << 1500)));
  EXPECT_EQ(tower.sign(name - negative + little), 1);
  EXPECT_EQ(tower.sign(name - negative - little), -1);
  // Zeros that are long get no name, and stay zero.
  const NestedRadical zero = square(name) + name - square(negative) - negative;
  ASSERT_GT(zero.terms().size(), 2u);
  EXPECT_TRUE(tower.named(zero).is_empty());
  EXPECT_TRUE(tower.named(zero).is_empty());
  // The inverse roots of a name and of what has one.
  for (const NestedRadical& positive : {-name, -negative}) {
    const NestedRadical inverse = tower.inverse_root(positive).value();
    EXPECT_EQ(tower.sign(tower.product(square(inverse), positive) - Real(1)), 0);
  }
}

TEST(NestedRadicalSign, AgreesWithCoreOnHiddenZerosAndBesideThem) {
#if LOGDEPTH_HAS_CORE
  expect_signs_agree(300, NestedExpressions(laws::seed() + 1, true), [](const Nested& expression) {
    laws::CoreLeaves leaves;
    return expression.evaluate(leaves).sign();
  });
#else
  GTEST_SKIP() << "CGAL/CORE/Expr.h NOT FOUND: signs are checked against 714-bit MPFR ONLY. "
                  "Install libcgal-dev to check them against an independent exact type.";
#endif
}

TEST(NestedRadicalSign, FindsTheZerosOfTheTextbooks) {
  Numbers numbers;
  const Nested two = integer(2);
  EXPECT_EQ(numbers.sign(Nested::root(integer(5) + two * root(6)) - root(2) - root(3)), 0);
  EXPECT_EQ(numbers.sign(Nested::root(integer(5) - two * root(6)) + root(2) - root(3)), 0);
  EXPECT_EQ(numbers.sign(Nested::root(integer(5) - two * root(6)) - root(2) + root(3)), 1);
  // Shanks 1974: five roots, two of them nested twice.
  const Nested left = Nested::root(integer(11) + two * root(29)) +
                      Nested::root(integer(16) - two * root(29) +
                                   two * Nested::root(integer(55) - integer(10) * root(29)));
  const Nested right = root(5) + Nested::root(integer(22) + two * root(5));
  EXPECT_EQ(numbers.sign(left - right), 0);
  const Nested little = Nested::fraction(1, std::int64_t{1} << 62);
  const Nested less = little * little * little * little * little * little;  // 2^-372
  const Nested least = less * less * less * less;                           // 2^-1488
  for (const Nested& by : {little, less, least}) {
    EXPECT_EQ(numbers.sign(left - right + by), 1);
    EXPECT_EQ(numbers.sign(left - right - by), -1);
    EXPECT_EQ(numbers.sign(right - left + by), 1);
    EXPECT_EQ(numbers.sign(right - left - by), -1);
  }
}

// 2^-1488 beside a zero is below every enclosure that is tried first: only the squares of the two
// sides tell the signs apart, and which side they belong to.
TEST(NestedRadicalSign, IsThatOfTheLargerSideWhereEnclosuresDoNotTellThemApart) {
  Numbers numbers;
  Nested least = Nested::fraction(1, std::int64_t{1} << 62);
  for (int i = 0; i < 5; ++i) least = least * least;  // 2^-1984
  const Nested outer = Nested::root(integer(1) + root(2));
  for (const Nested& side : {outer, outer * outer * outer, outer + root(3)}) {
    const Nested other = Nested::root(side * side + least);
    EXPECT_EQ(numbers.sign(other - side), 1);
    EXPECT_EQ(numbers.sign(side - other), -1);
    EXPECT_EQ(numbers.sign(side + other), 1);
    EXPECT_EQ(numbers.sign(Nested::root(side * side) - side), 0);
  }
  EXPECT_GE(numbers.tower.statistics().by_elimination, 6u);
  // Both sides as small, equal, and of one sign or of two.
  const Nested tiny = Nested::root(outer * outer + least) - outer;
  const Nested sum = root(2) + root(3), hidden = Nested::root(integer(5) + integer(2) * root(6));
  EXPECT_EQ(numbers.sign(tiny * sum + tiny * hidden), 1);
  EXPECT_EQ(numbers.sign(integer(0) - tiny * sum - tiny * hidden), -1);
  EXPECT_EQ(numbers.sign(tiny * sum - tiny * hidden), 0);
  // One side alone.
  EXPECT_EQ(numbers.sign(tiny * hidden), 1);
  EXPECT_EQ(numbers.sign(integer(0) - tiny * hidden), -1);
}

TEST(NestedRadicalRoot, IsAbsentForAHiddenZeroAndForWhatIsNegative) {
  Numbers numbers;
  const Nested zero = Nested::root(integer(5) + integer(2) * root(6)) - root(2) - root(3);
  const Nested little = Nested::fraction(1, std::int64_t{1} << 40);
  EXPECT_FALSE(numbers.tower.inverse_root(numbers.of(zero)).has_value());
  EXPECT_FALSE(numbers.tower.inverse_root(numbers.of(zero * root(7))).has_value());
  EXPECT_FALSE(numbers.tower.inverse_root(numbers.of(zero - little)).has_value());
  EXPECT_FALSE(numbers.tower.inverse_root(NestedRadical()).has_value());
  const auto large = numbers.tower.inverse_root(numbers.of(zero + little));
  ASSERT_TRUE(large.has_value());
  // It is 2^20, by what it is the inverse of.
  EXPECT_EQ(numbers.tower.sign(*large - Real(1 << 20)), 0);
}

TEST(NestedRadicalRoot, OfARationalMultipleIsNoNewRoot) {
  Numbers numbers;
  const NestedRadical square = numbers.of(integer(3) + root(5));
  const NestedRadical first = numbers.tower.inverse_root(square).value();
  const NestedRadical second = numbers.tower.inverse_root(square.scaled(Rational(8))).value();
  EXPECT_EQ(numbers.tower.size(), 1u);
  EXPECT_EQ(numbers.tower.product(second, Real::root(Rational(8))), first);
  EXPECT_EQ(numbers.tower.inverse_root(NestedRadical(Real(Rational(4, 9)))).value(),
            NestedRadical(Real(Rational(3, 2))));
  EXPECT_EQ(numbers.tower.size(), 1u);
  // Not of what is one in its first terms alone.
  const NestedRadical other = Real(6) + first.scaled(Rational(3));
  for (const NestedRadical& sum : {Real(3) + first, other, other.scaled(Rational(1, 5))}) {
    const NestedRadical inverse = numbers.tower.inverse_root(sum).value();
    EXPECT_EQ(numbers.tower.sign(numbers.tower.product(sum, inverse * inverse) - Real(1)), 0);
  }
  EXPECT_EQ(numbers.tower.size(), 3u);
}

// Zeros that hide in different roots add up: each root that is eliminated squares what is left. Few
// are decided, many are not, and no number of them is guessed; beside zero they are all decided.
TEST(NestedRadicalLimits, ManyHiddenZerosAtOnceAreNotDecidedAndWhatIsNotZeroIs) {
  Numbers numbers;
  Nested sum = integer(0);
  std::size_t decided = 0;
  std::optional<std::string> sentence;
  for (std::int64_t k = 0; k < 6; ++k) {
    const Nested p = Nested::root(integer(2 * k + 5) + root(2 + 5 * k)), q = root(3 + k);
    sum = sum + Nested::root(p + q + integer(2) * Nested::root(p * q)) - Nested::root(p) -
          Nested::root(q);
    EXPECT_EQ(numbers.sign(sum + Nested::fraction(1, std::int64_t{1} << 60)), 1);
    EXPECT_EQ(numbers.sign(sum - Nested::fraction(1, std::int64_t{1} << 60)), -1);
    try {
      EXPECT_EQ(numbers.sign(sum), 0);
      EXPECT_FALSE(sentence.has_value()) << "more of them were decided";
      ++decided;
    } catch (const NotDecided& limit) {
      sentence = limit.what();
    }
  }
  std::cout << decided << " decided; then: " << sentence.value_or("") << "\n";
  EXPECT_GE(decided, 1u);
  ASSERT_TRUE(sentence.has_value());
  EXPECT_NE(sentence->find("not clearly other than 0 to 16384 bits"), std::string::npos);
  EXPECT_NE(sentence->find("the limit is"), std::string::npos);
}

// Of three to ten bits, so that what is rounded the wrong way, or not at all, leaves the enclosure.
TEST(Enclosures, HoldTheExactResultOfEveryOperation) {
  std::mt19937_64 random(laws::seed());
  const auto below = [&](int bound) { return static_cast<int>(random() % bound); };
  std::size_t signs = 0, open = 0, roots = 0;
  for (int round = 0; round < 20000; ++round) {
    const mpfr_prec_t bits = 3 + below(8);
    const auto any = [&] {
      return Real(Rational(below(41) - 20, 1 + below(9))) +
             Real::root(Rational(below(30), 1 + below(5))).scaled(Rational(below(5) - 2));
    };
    const auto around = [&](const Real& real) {
      return Enclosure(real.rational_part(), real.surds(), bits);
    };
    const Real start = any();
    Enclosure enclosure = around(start);
    Wide value = laws::wide_of(start);
    for (int step = below(5); step > 0; --step) {
      const Real other = any();
      const int kind = below(3);
      if (kind == 0) {
        enclosure += around(other);
        value += laws::wide_of(other);
      } else if (kind == 1) {
        enclosure *= around(other);
        value *= laws::wide_of(other);
      } else if (const auto inverse = enclosure.inverse_root()) {
        ASSERT_GT(value, 0);
        enclosure = *inverse;
        value = 1 / sqrt(value);
        ++roots;
      }
    }
    // Ends of so few bits are printed as they are.
    const std::string ends = enclosure.text(40);
    const std::size_t comma = ends.find(", ");
    const Wide slack = ldexp(abs(value) + 1, -600);
    EXPECT_LE(Wide(ends.substr(1, comma - 1)), value + slack) << ends;
    EXPECT_GE(Wide(ends.substr(comma + 2, ends.size() - comma - 3)), value - slack) << ends;
    const Approximation near = enclosure.approximate();
    EXPECT_LE(abs(Wide(near.value) - value), Wide(near.bound) + slack) << ends;
    const int sign = enclosure.sign();
    EXPECT_TRUE(sign == 0 || sign == laws::sign_of(value)) << ends;
    ++(sign != 0 ? signs : open);
  }
  std::cout << signs << " signs, " << open << " open, " << roots << " roots\n";
  EXPECT_GT(signs, 5000u);
  EXPECT_GT(open, 300u);
  EXPECT_GT(roots, 3000u);
}

TEST(NestedRadicalText, IsAnExpressionOrWhereThatIsLongAnEnclosure) {
  Numbers numbers;
  const auto text = [&](const Nested& expression) {
    return numbers.tower.text(numbers.of(expression));
  };
  const Nested s = Nested::fraction(41, 4) - root(32);
  const Nested r = Nested::inverse(Nested::root(s));
  EXPECT_EQ(text(integer(0)), "0");
  EXPECT_EQ(text(Nested::fraction(1, 2) - root(3)), "1/2 - sqrt(3)");
  const NestedRadical inverse = numbers.tower.inverse_root(numbers.of(s)).value();
  const auto shown = [&](const NestedRadical& value) { return numbers.tower.text(value); };
  EXPECT_EQ(shown(inverse), "1/sqrt(41/4 - sqrt(32))");
  EXPECT_EQ(shown(-inverse + Real(2)), "2 - 1/sqrt(41/4 - sqrt(32))");
  EXPECT_EQ(shown(inverse * inverse * inverse.scaled(Rational(-3, 2))),
            "-3/2/(41/4 - sqrt(32))/sqrt(41/4 - sqrt(32))");
  EXPECT_EQ(shown(inverse * NestedRadical(Real(1) + Real::root(2))),
            "(1 + sqrt(2))/sqrt(41/4 - sqrt(32))");
  NestedRadical deep = inverse;
  for (int i = 0; i < 6; ++i)
    deep = numbers.tower.inverse_root(deep + Real(1)).value() + inverse + Real(1);
  const std::string enclosed = shown(deep);
  ASSERT_EQ(enclosed.front(), '[') << enclosed;
  WideLeaves leaves;
  Wide value = r.evaluate(leaves);
  const Wide first = value;
  for (int i = 0; i < 6; ++i) value = 1 / sqrt(value + 1) + first + 1;
  const std::size_t comma = enclosed.find(", ");
  const Wide low(enclosed.substr(1, comma - 1));
  const Wide high(enclosed.substr(comma + 2, enclosed.size() - comma - 3));
  EXPECT_LE(low, value);
  EXPECT_LE(value, high);
  EXPECT_LT(high - low, Wide("1e-10"));
}

}}  // namespace logdepth::nested_radicals_tests
