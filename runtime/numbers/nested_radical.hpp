#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_numbers {

/// Which generator of a RadicalTower.
using Generator = std::uint32_t;

/// A polynomial in the generators of a RadicalTower (inverse roots, and names of polynomials), with
/// exact reals as coefficients. That is all that a forward pass needs beyond Real: values are added
/// and multiplied, and divided by norms alone.
///
/// As a polynomial it is unique (terms of one monomial are combined, none is zero), so equal
/// polynomials are equal numbers. The converse does not hold: the generators of a tower may depend
/// on one another, and a polynomial that is not empty may be zero. RadicalTower::sign() decides that.
class NestedRadical {
 public:
  struct Power {
    Generator generator = 0;
    std::uint32_t exponent = 1;  ///< at least 1
    auto operator<=>(const Power&) const = default;
  };
  using Monomial = std::vector<Power>;  ///< by increasing generator
  struct Term {
    Monomial monomial;
    Real coefficient;
    bool operator==(const Term&) const = default;
  };

  NestedRadical() = default;
  NestedRadical(Real value);          // NOLINT: reals are nested radicals
  explicit NestedRadical(Term term);  ///< its coefficient is not zero

  std::span<const Term> terms() const { return terms_; }  ///< ordered by monomial
  bool is_empty() const { return terms_.empty(); }
  /// The number, where no generator occurs in it.
  std::optional<Real> real() const;
  /// How many products of a rational and roots it is a sum of.
  std::size_t summands() const;
  /// The highest generator that occurs in it.
  std::optional<Generator> highest_generator() const;
  /// The same number with every square of a generator replaced by what it is, where `square` says so.
  NestedRadical reduced(const std::function<const Real*(Generator)>& square) const;
  /// As a polynomial in one generator: its coefficients, from the exponent 0 to the largest.
  std::vector<NestedRadical> coefficients_of(Generator generator) const;
  std::size_t hash() const;
  /// Memory that it holds beside itself.
  std::size_t heap_bytes() const;

  NestedRadical operator-() const { return scaled(Rational(-1)); }
  NestedRadical scaled(const Rational& factor) const;
  friend NestedRadical operator+(const NestedRadical& a, const NestedRadical& b);
  friend NestedRadical operator-(const NestedRadical& a, const NestedRadical& b) { return a + -b; }
  friend NestedRadical operator*(const NestedRadical& a, const NestedRadical& b);
  friend bool operator==(const NestedRadical&, const NestedRadical&) = default;

 private:
  static NestedRadical sum_of(std::map<Monomial, Real> coefficients);

  std::vector<Term> terms_;
};

/// The rational c with x = c*y as polynomials, for y not empty; absent when there is none.
std::optional<Rational> rational_factor(const NestedRadical& x, const NestedRadical& y);

}  // namespace logdepth::inline runtime_numbers

template <>
struct std::hash<logdepth::NestedRadical> {
  std::size_t operator()(const logdepth::NestedRadical& value) const { return value.hash(); }
};
