#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/surd.hpp"

namespace logdepth::inline runtime_numbers {

/// An exact real number: a rational plus a sum of signed square roots of positive rationals in
/// pairwise different classes of Q*/Q*^2, none of them the class of squares.
///
/// Such roots are linearly independent over Q (Besicovitch 1940), so the representation is unique
/// once terms of one class are combined: zero is the empty sum, equality and hash are memberwise,
/// and no factoring is needed (two radicands are in one class iff their product is a square).
/// Closed under +, -, *, and division by the root of a positive rational.
class Real {
 public:
  using Surd = logdepth::Surd;

  Real() = default;
  Real(Rational rational) : rational_(std::move(rational)) {}  // NOLINT: rationals are reals
  Real(std::int64_t integer) : rational_(integer) {}           // NOLINT
  /// sqrt(square). Precondition: square >= 0.
  static Real root(const Rational& square);

  bool is_zero() const { return rational_.is_zero() && surds_.empty(); }
  bool is_rational() const { return surds_.empty(); }
  const Rational& rational_part() const { return rational_; }
  std::span<const Surd> surds() const { return surds_; }  ///< ordered by radicand

  /// -1, 0, 1. Decided by the double bound, then by squares (one or two terms), then by MPFR with
  /// growing precision, which ends because a non-empty sum is not zero.
  int sign() const;
  Approximation approximate() const;
  std::string text() const;  ///< "3/5", "sqrt(2/5)", "1/2 - sqrt(3)"
  std::size_t hash() const;
  /// Memory that it holds beside itself: surds, and the digits of large numbers.
  std::size_t heap_bytes() const {
    std::size_t total = rational_.heap_bytes() + surds_.capacity() * sizeof(Surd);
    for (const Surd& surd : surds_) total += surd.radicand.heap_bytes();
    return total;
  }

  Real operator-() const;
  friend Real operator+(const Real& a, const Real& b);
  friend Real operator-(const Real& a, const Real& b);
  friend Real operator*(const Real& a, const Real& b);
  Real scaled(const Rational& factor) const;
  /// this / sqrt(square). Precondition: square > 0.
  Real divided_by_root(const Rational& square) const;
  friend bool operator==(const Real& a, const Real& b) = default;
  friend std::strong_ordering operator<=>(const Real& a, const Real& b);

 private:
  /// this * sign * sqrt(square), for a square that is not the square of a rational.
  Real times_root(int sign, const Rational& square) const;
  void add_surd(const Surd& term);  ///< combines it with the term of its class, keeps the order
  void insert_surd(Surd term);      ///< for a term of a class not yet present

  Rational rational_;
  std::vector<Surd> surds_;
};

/// The rational c with x = c*y, for y != 0; absent when there is none.
std::optional<Rational> rational_factor(const Real& x, const Real& y);

/// The direction x / ||x|| of a vector, decided inside the field:
/// - the zero vector is its own direction (the model's convention norm(0) = 0);
/// - if ||x||^2 is rational the quotient is exact;
/// - if all components are rational multiples of one component y, then x = y*c and the direction is
///   sign(y) * c/||c|| (in particular a single component is read as its sign).
/// Absent otherwise: the norm is the root of an irrational number and is not attempted.
std::optional<std::vector<Real>> direction(std::span<const Real> vector);

}  // namespace logdepth::inline runtime_numbers

template <>
struct std::hash<logdepth::Rational> {
  std::size_t operator()(const logdepth::Rational& value) const { return value.hash(); }
};
template <>
struct std::hash<logdepth::Real> {
  std::size_t operator()(const logdepth::Real& value) const { return value.hash(); }
};
