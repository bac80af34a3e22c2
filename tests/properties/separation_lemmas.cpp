// The inequalities of compiler/lemmas/separation_lemmas.cpp against every small case, exactly: they hold for
// all pairs below N, and with an exponent less they would not.

#include "compiler/lemmas/separation_lemmas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/meaning/cell_reader.hpp"
#include "runtime/file/position_code.hpp"

namespace logdepth::separation_laws_tests {
namespace {

using Vector = std::vector<Real>;
using Integers = std::vector<std::int64_t>;

Rational bound(const SeparationLaw& law, std::int64_t size) {
  Rational value = law.coefficient;
  for (std::uint32_t i = 0; i < law.exponent; ++i) value = value / Rational(size);
  return value;
}

Real product(const Vector& a, const Vector& b) {
  Real sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum = sum + a[i] * b[i];
  return sum;
}
Real distance(const Real& a, const Real& b) {
  const Real difference = a - b;
  return difference.sign() < 0 ? -difference : difference;
}

Vector unit(const Integers& integers) {
  Rational square;
  for (const std::int64_t x : integers) square += Rational(x * x);
  Vector vector;
  for (const std::int64_t x : integers) vector.push_back(Real(x).divided_by_root(square));
  return vector;
}

/// Every integer vector that is not zero with components of at most `most`, divided by its greatest
/// common divisor.
std::vector<Integers> primitive_vectors(std::uint32_t size, std::int64_t most) {
  std::vector<Integers> vectors;
  Integers current(size, -most);
  while (true) {
    std::int64_t divisor = 0;
    for (const std::int64_t x : current) divisor = std::gcd(divisor, x);
    if (divisor == 1) vectors.push_back(current);
    std::size_t i = 0;
    while (i < size && current[i] == most) current[i++] = -most;
    if (i == size) return vectors;
    ++current[i];
  }
}

/// The law holds of the smallest such number at every size, and some size is near its exponent: the
/// smallest number times N^exponent does not grow.
class Smallest {
 public:
  explicit Smallest(const SeparationLaw& law) : law_(law) {}
  void see(const Real& value) {
    if (!smallest_ || value < *smallest_) smallest_ = value;
  }
  /// Everything below `size` has been seen.
  void check(std::int64_t size) {
    ASSERT_TRUE(smallest_);
    EXPECT_GE(*smallest_, Real(bound(law_, size))) << "N = " << size;
    last_ = smallest_->approximate().value / bound(law_, size).approximate();
  }
  /// How many times the law's bound the smallest number was at the largest size.
  double slack() const { return last_; }

 private:
  SeparationLaw law_;
  std::optional<Real> smallest_;
  double last_ = 0;
};

TEST(SeparationLaws, TheCodesOfTwoPositionsAreApart) {
  for (const PositionCode code :
       {PositionCode::phi, PositionCode::phi_over(2), PositionCode::phi_over(9),
        PositionCode::circle, PositionCode::two_circle, PositionCode::fine(1),
        PositionCode::fine(2), PositionCode::fine(5)}) {
    const Rational square = code == PositionCode::two_circle ? 2 : 1;
    Smallest gap(code_gap(code));
    std::vector<Vector> codes = {code_of(code, 0)};
    for (std::int64_t size = 2; size <= 40; ++size) {
      codes.push_back(code_of(code, static_cast<std::uint64_t>(size - 1)));
      for (std::int64_t p = 0; p + 1 < size; ++p)
        gap.see(Real(square) - product(codes.back(), codes[static_cast<std::size_t>(p)]));
      gap.check(size);
    }
    // A law for all sizes is near the truth where N is near L, or 2 N near b.
    const double reach =
        code.kind == PositionCode::Kind::fine ? code.parameter / 2.0 : code.parameter;
    EXPECT_LT(gap.slack(), 8 * std::pow(std::max(reach, 1.0), 4)) << "it gives too much away";
  }
}

TEST(SeparationLaws, AShiftedQueryIsNearestToItsPosition) {
  for (const std::uint32_t over : {1u, 2u, 9u})
    for (std::uint32_t back = 1; back <= 70; ++back) {
      const SeparationLaw law = shifted_phi_gap(over, back);
      for (std::int64_t size = 2; size <= 9; ++size)
        for (std::int64_t e = 0; e < size; ++e) {
          const Vector query = unit({e - back, over});
          const std::int64_t target = std::max<std::int64_t>(e - back, 0);
          const Real best = product(query, unit({target, over}));
          for (std::int64_t r = 0; r < size; ++r) {
            if (r == target) continue;
            ASSERT_GE(best - product(query, unit({r, over})), Real(bound(law, size)))
                << "over " << over << ", back " << back << ", N = " << size << ", e = " << e
                << ", r = " << r;
          }
        }
    }
  EXPECT_EQ(shifted_phi_gap(1, 3), code_gap(PositionCode::phi));
  EXPECT_EQ(shifted_phi_gap(9, 3), code_gap(PositionCode::phi_over(9)));
  EXPECT_EQ(shifted_phi_gap(1, 100).coefficient, Rational(16, 101));
}

TEST(SeparationLaws, DirectionsOfIntegersAreApart) {
  for (const auto& [components, factor, sizes] :
       std::vector<std::tuple<std::uint32_t, std::uint32_t, std::int64_t>>{
           {2, 1, 9}, {2, 2, 4}, {3, 1, 3}}) {
    Smallest gap(direction_gap(components, factor));
    for (std::int64_t size = 2; size <= sizes; ++size) {
      const auto vectors = primitive_vectors(components, size * factor);
      for (std::size_t i = 0; i < vectors.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          gap.see(Real(1) - product(unit(vectors[i]), unit(vectors[j])));
      gap.check(size);
    }
    EXPECT_LT(gap.slack(), 8);
  }
}

/// The first components of one kind at size N; each once.
std::vector<Real> first_components(const FirstComponent& kind, std::int64_t size) {
  std::vector<Real> values;
  if (kind.code) {
    for (std::int64_t p = 0; p < size; ++p)
      values.push_back(code_of(*kind.code, static_cast<std::uint64_t>(p))[0]);
    return values;
  }
  for (const Integers& v : primitive_vectors(2, size * kind.bound)) values.push_back(unit(v)[0]);
  return values;
}

TEST(SeparationLaws, FirstComponentsAreEqualOrApart) {
  const FirstComponent phi{PositionCode::phi}, circle{PositionCode::circle};
  const FirstComponent one{std::nullopt, 1}, two{std::nullopt, 2};
  const FirstComponent phi_over_2{PositionCode::phi_over(2)}, fine{PositionCode::fine(3)};
  struct Case {
    FirstComponent a, b;
    std::int64_t sizes;
    double slack;
  };
  for (const Case& c : std::vector<Case>{{phi, phi, 24, 2},
                                         {circle, circle, 24, 3},
                                         {phi_over_2, phi_over_2, 24, 16},
                                         {{PositionCode::fine(1)}, {PositionCode::fine(1)}, 24, 3},
                                         {fine, fine, 24, 8},
                                         {phi, phi_over_2, 12, 80},
                                         {phi_over_2, one, 8, 80},
                                         {phi, one, 12, 9},
                                         {two, phi, 6, 16},
                                         {one, one, 9, 9},
                                         {one, two, 5, 16}}) {
    const auto law = difference(c.a, c.b);
    ASSERT_TRUE(law);
    EXPECT_EQ(law, difference(c.b, c.a));
    Smallest gap(*law);
    for (std::int64_t size = 2; size <= c.sizes; ++size) {
      for (const Real& x : first_components(c.a, size))
        for (const Real& y : first_components(c.b, size))
          if (x != y) gap.see(distance(x, y));
      gap.check(size);
    }
    EXPECT_LT(gap.slack(), c.slack);
  }
  // One token: phi(0) beside a direction of integers of at most 1.
  for (const Integers& v : primitive_vectors(2, 1)) {
    if (v[0] == 0) continue;
    EXPECT_GE(distance(unit(v)[0], Real(0)), Real(bound(*difference(phi, one), 1)));
  }
  EXPECT_FALSE(difference(circle, phi));
  EXPECT_FALSE(difference(one, circle));
  EXPECT_FALSE(difference(fine, phi));
  EXPECT_FALSE(difference(fine, FirstComponent{PositionCode::fine(2)}));
  const FirstComponent two_circle{PositionCode::two_circle};
  EXPECT_FALSE(difference(two_circle, two_circle));
}

TEST(SeparationLaws, TheLeastOfSeveralFollowsFromEach) {
  const std::vector<SeparationLaw> laws = {{2, 0}, {{1, 3}, 2}, {1, 1}};
  const SeparationLaw law = least(laws);
  for (std::int64_t size = 2; size <= 50; ++size)
    for (const SeparationLaw& each : laws) EXPECT_LE(bound(law, size), bound(each, size));
  EXPECT_EQ(law, (SeparationLaw{{1, 3}, 2}));
}

TEST(SeparationLaws, ABoundInDoubleIsNeverTooLarge) {
  for (const SeparationLaw& law : std::vector<SeparationLaw>{
           {{1, 3}, 0}, {{1, 10}, 1}, {{2, 25}, 2}, {{1, 7}, 4}, {1, 64}, {{1, 3}, 64}})
    for (const double size : {1.0, 2.0, 3.0, 10.0, 1000.5, 3e7, 1e18, 1e300}) {
      const double value = law.at(size);
      mpq_class exact = law.coefficient.to_mpq();
      for (std::uint32_t i = 0; i < law.exponent; ++i) exact /= mpq_class(size);
      EXPECT_LE(mpq_class(value), exact);
      const double next = std::nextafter(value, 1e308);
      EXPECT_GT(mpq_class(next), exact) << "not the largest double below";
    }
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(0.5)), 0.5) << "there is at least one token";
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(std::numeric_limits<double>::infinity())), 0);
  EXPECT_EQ((SeparationLaw{{1, 2}, 4}.at(std::numeric_limits<double>::quiet_NaN())), 0);
}

}  // namespace
}  // namespace logdepth::separation_laws_tests
