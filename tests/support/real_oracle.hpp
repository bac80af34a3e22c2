#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "runtime/numbers/real.hpp"

// CORE decides signs by its own separation bounds, on expression graphs, without square classes:
// it shares neither representation nor argument with Real.
#if __has_include(<CGAL/CORE/Expr.h>)
#define LOGDEPTH_HAS_CORE 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wpedantic"
#include <CGAL/CORE/Expr.h>
#pragma GCC diagnostic pop
#else
#define LOGDEPTH_HAS_CORE 0
#endif

namespace logdepth::laws {

/// About 714 bits.
using Wide = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<215>,
                                           boost::multiprecision::et_off>;

/// An expression that each number type evaluates for itself.
struct Expression {
  enum class Kind { fraction, root, sum, difference, product };
  Kind kind = Kind::fraction;
  std::int64_t top = 0;  ///< of a fraction, or of the fraction under a root
  std::int64_t bottom = 1;
  std::vector<Expression> parts;  ///< two, for sum, difference and product
};

inline Expression fraction(std::int64_t top, std::int64_t bottom = 1) {
  return {Expression::Kind::fraction, top, bottom, {}};
}
inline Expression root(std::int64_t top, std::int64_t bottom = 1) {
  return {Expression::Kind::root, top, bottom, {}};
}
inline Expression operator+(Expression a, Expression b) {
  return {Expression::Kind::sum, 0, 1, {std::move(a), std::move(b)}};
}
inline Expression operator-(Expression a, Expression b) {
  return {Expression::Kind::difference, 0, 1, {std::move(a), std::move(b)}};
}
inline Expression operator*(Expression a, Expression b) {
  return {Expression::Kind::product, 0, 1, {std::move(a), std::move(b)}};
}

template <typename Number>
struct Leaves;  ///< fraction(top, bottom) and root(top, bottom) in the number type

template <>
struct Leaves<Real> {
  static Real fraction(std::int64_t top, std::int64_t bottom) { return Rational(top, bottom); }
  static Real root(std::int64_t top, std::int64_t bottom) {
    return Real::root(Rational(top, bottom));
  }
};

template <>
struct Leaves<Wide> {
  static Wide fraction(std::int64_t top, std::int64_t bottom) { return Wide(top) / Wide(bottom); }
  static Wide root(std::int64_t top, std::int64_t bottom) { return sqrt(fraction(top, bottom)); }
};

#if LOGDEPTH_HAS_CORE
template <>
struct Leaves<CORE::Expr> {
  static CORE::Expr fraction(std::int64_t top, std::int64_t bottom) {
    return CORE::Expr(CORE::BigRat(CORE::BigInt(long{top}), CORE::BigInt(long{bottom})));
  }
  static CORE::Expr root(std::int64_t top, std::int64_t bottom) {
    return sqrt(fraction(top, bottom));
  }
};
#endif

template <typename Number>
Number evaluate(const Expression& expression) {
  using Kind = Expression::Kind;
  const auto part = [&](std::size_t i) { return evaluate<Number>(expression.parts[i]); };
  switch (expression.kind) {
    case Kind::fraction:
      return Leaves<Number>::fraction(expression.top, expression.bottom);
    case Kind::root:
      return Leaves<Number>::root(expression.top, expression.bottom);
    case Kind::sum:
      return part(0) + part(1);
    case Kind::difference:
      return part(0) - part(1);
    case Kind::product:
      return part(0) * part(1);
  }
  std::abort();
}

inline Wide wide_of(const Rational& value) {
  const mpq_class exact = value.to_mpq();
  return Wide(exact.get_num_mpz_t()) / Wide(exact.get_den_mpz_t());
}

/// The value of a Real from its public parts, to 700 bits.
inline Wide wide_of(const Real& value) {
  Wide result = wide_of(value.rational_part());
  for (const Real::Surd& surd : value.surds()) result += surd.sign * sqrt(wide_of(surd.radicand));
  return result;
}

/// The sign of a value of ordinary size evaluated to 700 bits; what is smaller than 2^-500 can
/// only be the rounding of zero for the heights generated here (CORE proves it case by case).
inline int sign_of(const Wide& value) {
  if (abs(value) < ldexp(Wide(1), -500)) return 0;
  return value.sign();
}

/// Sums and differences as they occur in attention, and the degenerate ones around them.
class Expressions {
 public:
  enum Family { random_sums, planted_ties, near_ties, hidden_cancellation, products, families };

  /// `few_roots` for CORE, whose separation bound doubles its bits with every root in an
  /// expression.
  explicit Expressions(std::uint64_t seed, bool few_roots = false)
      : random_(seed), few_roots_(few_roots) {}

  Expression of(int family) {
    switch (family) {
      case random_sums:
        return difference_of_sums(below(4) + 1, [this] { return std::pair(score(), score()); });
      case planted_ties:
        return difference_of_sums(below(few_roots_ ? 2 : 4) + 1, [this] { return tied_scores(); });
      case near_ties:
        return difference_of_sums(
            below(3) + 1, [this] { return below(2) == 0 ? neighbouring_scores() : tied_scores(); });
      case hidden_cancellation:
        return cancellation();
      default:
        return product_identity();
    }
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(bound));
  }

  // phi(i).phi(j) = (ij + 1) / sqrt((i^2+1)(j^2+1)) as one root.
  static Expression score(std::int64_t i, std::int64_t j) {
    const std::int64_t top = i * j + 1;
    return root(top * top, (i * i + 1) * (j * j + 1));
  }
  // The same number by the two coordinates of each vector, or with the numerator outside the root.
  Expression other_score(std::int64_t i, std::int64_t j) const {
    if (few_roots_) return fraction(i * j + 1) * root(1, (i * i + 1) * (j * j + 1));
    return fraction(i) * root(1, i * i + 1) * (fraction(j) * root(1, j * j + 1)) +
           root(1, i * i + 1) * root(1, j * j + 1);
  }

  std::int64_t position() { return below(3) == 0 ? below(12) : below(10001); }
  Expression score() { return score(position(), position()); }

  std::pair<Expression, Expression> tied_scores() {
    const std::int64_t i = position();
    const std::int64_t j = position();
    if (below(2) == 0) return {score(i, j), score(j, i)};
    return {score(i, j), other_score(j, i)};
  }

  std::pair<Expression, Expression> neighbouring_scores() {
    const std::int64_t i = below(10000) + 1;
    const std::int64_t step = below(2) + 1;
    switch (below(3)) {
      case 0:
        return {score(i, i), score(i, i + step)};
      case 1:
        return {score(i, i + 1), score(i, i - 1)};
      default:
        return {other_score(i, i + step), score(i + step, i + 2 * step)};
    }
  }

  template <typename Pairs>
  Expression difference_of_sums(std::int64_t terms, Pairs pairs) {
    std::vector<Expression> left;
    std::vector<Expression> right;
    for (std::int64_t k = 0; k < terms; ++k) {
      auto [a, b] = pairs();
      left.push_back(std::move(a));
      right.insert(right.begin() + below(k + 1), std::move(b));
    }
    return total(std::move(left)) - total(std::move(right));
  }

  static Expression total(std::vector<Expression> terms) {
    Expression result = std::move(terms.front());
    for (std::size_t k = 1; k < terms.size(); ++k) result = std::move(result) + std::move(terms[k]);
    return result;
  }

  Expression tiny() { return fraction(below(3) - 1, std::int64_t{1} << (20 + below(42))); }

  // sqrt(a^2 s) + sqrt(b^2 s) - sqrt((a+b)^2 s), two bases at once, with or without a tiny rest.
  Expression cancellation() {
    const std::int64_t s = below(5000) + 1;
    const std::int64_t q = below(200) + 1;
    const std::int64_t a = below(300) + 1;
    const std::int64_t b = below(300) + 1;
    const std::int64_t c = a + b;
    const std::int64_t t = below(5000) + 1;
    Expression result = root(a * a * s, q) + root(t) + root(b * b * s, q) - root(c * c * s, q);
    if (below(4) == 0) result = std::move(result) + tiny();
    if (below(4) == 0) return std::move(result) - root(t * 4 + below(2), 4);
    return std::move(result) - root(t);
  }

  // Products of sums that multiply out to something known, with or without a tiny rest.
  Expression product_identity() {
    const std::int64_t a = below(2000) + 1;
    const std::int64_t b = below(2000) + 1;
    const std::int64_t c = below(50) + 1;
    Expression result;
    switch (below(few_roots_ ? 2 : 3)) {
      case 0:
        result = (root(a) + root(b)) * (root(a) - root(b)) - fraction(a - b);
        break;
      case 1:
        result = (root(a) + root(b)) * (root(a) + root(b)) - fraction(a + b) - root(4 * a * b);
        break;
      default:
        result = (root(a) + root(b) + root(c)) * (root(b) - fraction(c, 7)) -
                 (root(a * b) + fraction(b) + root(c * b) - root(c * c * a, 49)) +
                 root(b * c * c, 49) + root(c * c * c, 49);
        break;
    }
    if (below(2) == 0) result = std::move(result) + tiny();
    return result;
  }

  std::mt19937_64 random_;
  bool few_roots_ = false;
};

}  // namespace logdepth::laws
