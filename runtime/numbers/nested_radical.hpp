#pragma once

#include <mpfr.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_numbers {

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

}}  // namespace logdepth::runtime_numbers

template <>
struct std::hash<logdepth::NestedRadical> {
  std::size_t operator()(const logdepth::NestedRadical& value) const { return value.hash(); }
};

namespace logdepth { inline namespace runtime_numbers {

/// A sign was not decided within the limits of the tower; the sentence says what was reached.
class NotDecided : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The generators that nested radicals are made of: inverse roots r_k = 1/sqrt(S_k), and names
/// g_k = P_k of long polynomials. Every S_k and P_k is positive, and a nested radical in the generators
/// before it.
///
/// **Names.** Every norm multiplies the terms of what it divides, so that polynomials in roots alone
/// grow with the depth of a run. So a sum is named, unless it is a Real of at most kMostSummands: one term, equal for
/// equal numbers as far as polynomials tell. What a name hides is found as what roots hide is, below.
///
/// **Signs.** First by enclosures of 64, 256 and 1024 bits. These never show that a number is zero,
/// so what they leave open is decided without them, by elimination of the highest root r, with
/// S r^2 = 1; where it is a name, what it stands for takes its place. Let P be a polynomial in r of
/// degree d, h = floor(d/2). Since S > 0, P has the sign of
///     S^h P = E + r O,   E = sum over even j of c_j S^(h - j/2),
///                        O = sum over odd j of c_j S^(h - (j-1)/2),
/// with E and O free of r. Their signs are known by induction on the highest root (without roots
/// they are Real, whose zero is the empty sum). Where they are the same or one is 0, that is the
/// answer, for r > 0. Otherwise |E| and r|O| are compared by their squares: the sign of
/// S E^2 - O^2, in which r does not occur either, says which of the two wins, and 0 that P = 0.
///
/// **Squares.** Where S_k is a Real of at most kMostRoots independent roots, r_k^2 = 1/S_k is one too
/// and is put in its place in every product, so that no exponent of r_k is above 1: most of what is
/// zero is then no terms.
///
/// Nothing is assumed of the roots but that they are positive: r may lie in the field of what is
/// before it (sqrt(5 + 2 sqrt 6) = sqrt 2 + sqrt 3), and roots may depend on one another. So there
/// is no separation bound to look up, no field to build, and no case in which an equality is
/// guessed. The squarings double degrees and digits with every root that is eliminated, as
/// separation bounds double their bits (Burnikel, Fleischer, Mehlhorn and Schirra 2000, "A strong
/// and easily computable separation bound"): this is the stated end. A product of more than
/// kMostProducts pairs of terms, or of more than kMostBytes, is not made; then enclosures of 4096
/// and 16384 bits are tried, and where these do not decide either, the sign is NotDecided.
class RadicalTower {
 public:
  static constexpr std::size_t kMostProducts = std::size_t{1} << 18;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 24;
  static constexpr mpfr_prec_t kMostBits = 16384;
  static constexpr std::size_t kMostRoots = 3;
  static constexpr std::size_t kMostSummands = 16;

  struct Statistics {
    std::uint64_t by_enclosure = 0;    ///< signs of irrational nested radicals
    std::uint64_t by_elimination = 0;  ///< of those that enclosures left open
    std::uint64_t zeros = 0;           ///< of these, zero
    std::uint64_t roots = 0;

    Statistics& operator+=(const Statistics& other);
  };

  /// Numbers of more summands are named.
  explicit RadicalTower(std::size_t most_summands = 1) : most_summands_(most_summands) {}

  /// Errors of all: NotDecided.
  int sign(const NestedRadical& value);
  /// The product, within the limits.
  NestedRadical product(const NestedRadical& a, const NestedRadical& b) const;
  /// The same number in at most so many summands, zero as the empty sum where it was longer.
  NestedRadical named(NestedRadical value);
  /// 1/sqrt(square), a Real where `square` is rational; absent unless square > 0.
  std::optional<NestedRadical> inverse_root(const NestedRadical& square);
  Approximation approximate(const NestedRadical& value);

  /// "3/2 + sqrt(2)/sqrt(41/4 - sqrt(32))": only +, -, /, roots and parentheses. Beyond `most`
  /// characters an enclosure to 12 digits, "[0.25, 0.26]".
  std::string text(const NestedRadical& value, std::size_t most = 200);

  std::size_t size() const { return static_cast<std::size_t>(statistics_.roots); }  ///< roots
  std::size_t bytes() const;
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Definition {
    NestedRadical of;  ///< S of 1/sqrt(S), or what it names
    bool name = false;
    std::optional<Real> square = std::nullopt;  ///< of the generator, where it is known
  };

  int sign_by_enclosure(const NestedRadical& value, mpfr_prec_t from, mpfr_prec_t to);
  int sign_by_elimination(const NestedRadical& value);
  int sign_within_products(const NestedRadical& value);
  int sign_without_name(const std::vector<NestedRadical>& coefficients, const NestedRadical& named);
  /// The root or name of which `value` is a rational multiple, before the root is drawn; and the factor.
  std::optional<std::pair<Generator, Rational>> known_multiple(const NestedRadical& value,
                                                               bool name) const;
  Generator define(Definition definition);
  Enclosure enclosure(const NestedRadical& value, mpfr_prec_t bits);
  const Enclosure& enclosure_of(Generator generator, mpfr_prec_t bits);
  /// The polynomial in roots alone; absent where it has more than kMostSummands.
  std::optional<NestedRadical> without_names(NestedRadical value) const;
  /// Of what has no names; false when the text grows beyond `most`.
  bool append(const NestedRadical& value, std::size_t most, std::string& text) const;

  std::size_t most_summands_;
  std::vector<Definition> definitions_;
  std::unordered_multimap<std::uint64_t, Generator>
      by_shape_;                             // hash of the monomials of its definition
  std::unordered_set<NestedRadical> zeros_;  // found by named()
  std::map<std::pair<Generator, mpfr_prec_t>, Enclosure> enclosures_;
  Statistics statistics_;
};

}}  // namespace logdepth::runtime_numbers
