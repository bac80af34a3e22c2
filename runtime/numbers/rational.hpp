#pragma once

#include <gmpxx.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace logdepth { inline namespace runtime_numbers {

/// An exact rational number in lowest terms, denominator positive. Numerator and denominator are
/// int64 while both fit (every operation is overflow-checked) and a GMP rational otherwise; the
/// representation is canonical (a value that fits is never held by GMP), so equality is memberwise.
class Rational {
 public:
  Rational() = default;
  Rational(std::int64_t integer) : numerator_(integer) {}  // NOLINT: integers are rationals
  /// Precondition: denominator != 0.
  Rational(std::int64_t numerator, std::int64_t denominator);
  explicit Rational(mpq_class value);  ///< canonicalised
  Rational(const Rational& other);
  Rational(Rational&& other) noexcept = default;
  Rational& operator=(const Rational& other);
  Rational& operator=(Rational&& other) noexcept = default;
  ~Rational() = default;

  /// Reads "p/q" in lowest terms (q > 1) or "p": decimal digits, a leading minus allowed, no
  /// leading zeros, no "-0". Absent when the text is anything else.
  static std::optional<Rational> parse(std::string_view text);
  std::string text() const;

  int sign() const;
  bool is_zero() const { return !big_ && numerator_ == 0; }
  bool is_one() const { return !big_ && numerator_ == 1 && denominator_ == 1; }
  bool is_integer() const;
  Rational abs() const;
  /// Precondition: not zero.
  Rational inverse() const;
  /// The rational root when this is the square of a rational; absent otherwise (also if negative).
  std::optional<Rational> square_root() const;
  /// The nearest double up to one unit in the last place; +-infinity beyond the range of double.
  double approximate() const;
  /// Numerator and denominator where both fit; absent otherwise.
  struct Small {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
  };
  std::optional<Small> small() const {
    return big_ ? std::nullopt : std::optional<Small>({numerator_, denominator_});
  }
  /// Memory that it holds beside itself: none while it is small.
  std::size_t heap_bytes() const { return big_ ? big_bytes() : 0; }
  std::size_t numerator_bits() const;
  std::size_t denominator_bits() const;
  mpq_class to_mpq() const;
  std::size_t hash() const;

  Rational operator-() const;
  Rational& operator+=(const Rational& other) { return *this = *this + other; }
  Rational& operator-=(const Rational& other) { return *this = *this - other; }
  Rational& operator*=(const Rational& other) { return *this = *this * other; }
  friend Rational operator+(const Rational& a, const Rational& b);
  friend Rational operator-(const Rational& a, const Rational& b);
  friend Rational operator*(const Rational& a, const Rational& b);
  /// Precondition: b is not zero.
  friend Rational operator/(const Rational& a, const Rational& b);
  friend bool operator==(const Rational& a, const Rational& b);
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b);

 private:
  friend struct RationalForm;  // rational.cpp: builds values already in lowest terms

  std::size_t big_bytes() const;

  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
  std::unique_ptr<mpq_class> big_;  ///< set exactly when the value does not fit above
};

}}  // namespace logdepth::runtime_numbers
