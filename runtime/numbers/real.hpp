#pragma once

#include <mpfr.h>

#include <array>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/numbers/rational.hpp"

namespace logdepth { inline namespace runtime_numbers {

/// A double with a bound on its distance from the exact value; `bound` is infinite when the value
/// is outside the comfortable range of double, so that filters never trust it.
struct Approximation {
  double value = 0;
  double bound = 0;
};

/// sign * sqrt(radicand), radicand > 0 and not the square of a rational.
struct Surd {
  int sign = 1;
  Rational radicand;
  bool operator==(const Surd& other) const = default;
};

/// A real number between two MPFR floats of one precision; every operation rounds outwards.
class Enclosure {
 public:
  explicit Enclosure(mpfr_prec_t bits);  ///< of zero
  /// Of a sum: the terms of a Real.
  Enclosure(const Rational& rational, std::span<const Surd> surds, mpfr_prec_t bits);
  Enclosure(const Enclosure& other);
  Enclosure& operator=(const Enclosure& other);
  ~Enclosure();

  void add(const Rational& value);
  void add(const Surd& surd);
  Enclosure& operator+=(const Enclosure& other);
  Enclosure& operator*=(const Enclosure& other);
  /// Of 1/sqrt(x), for an x that is known to be positive; absent where this enclosure does not show
  /// it yet.
  std::optional<Enclosure> inverse_root() const;

  /// The common sign of all its points, 0 when there is none.
  int sign() const;
  /// Infinite bound outside the comfortable range of double.
  Approximation approximate() const;
  /// "[0.25, 0.26]", both ends rounded outwards to so many digits.
  std::string text(int digits) const;

 private:
  mpfr_prec_t bits() const { return mpfr_get_prec(low_); }

  mpfr_t low_, high_;
};

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
  void insert_surd(Surd term);  ///< for a term of a class not yet present

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

}}  // namespace logdepth::runtime_numbers

template <>
struct std::hash<logdepth::Rational> {
  std::size_t operator()(const logdepth::Rational& value) const { return value.hash(); }
};
template <>
struct std::hash<logdepth::Real> {
  std::size_t operator()(const logdepth::Real& value) const { return value.hash(); }
};

namespace logdepth { inline namespace runtime_numbers {

/// 1/x, for x != 0, which is in the field of x. Absent where the surds of x are products of more than
/// `most` independent roots: with k of them the inverse has up to 2^k terms.
std::optional<Real> inverse(const Real& x, std::size_t most);

/// Reads sums and differences of `p`, `p/q`, `sqrt(p/q)` and `p/q*sqrt(r/s)`, with white space
/// around every sign and anywhere else between the parts: all that Real::text() prints, and
/// fractions that are not in lowest terms. Absent when the text is anything else, or a number has
/// more than kMaxRealDigits digits.
inline constexpr std::size_t kMaxRealDigits = 10000;
std::optional<Real> parse_real(std::string_view text);

/// Raw streams, as a text: the first line holds the names, a permutation of `names`, every other
/// line the values of one token in that order, separated by white space. A sign that stands alone
/// joins the values around it. `#` begins a comment; lines without anything are skipped. The rows
/// come back in the order of `names`. Errors: InputError with `source` and line.
std::vector<std::vector<Real>> parse_cells(std::string_view text, const std::string& source,
                                           const std::vector<std::string>& names);

/// The shortest text that reads back as the number.
inline std::string shortest_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// How far the number that the shortest text names is from this one, rounded up; 0 where it is
/// this one. Precondition: finite.
double text_error(double value);

/// The sum of two bounds, rounded up. Precondition: neither is negative.
double sum_of_bounds(double a, double b);

/// A bound to three digits, rounded up.
inline std::string bound_text(double bound) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", bound * 1.005);
  return text.data();
}

}}  // namespace logdepth::runtime_numbers
