#pragma once

#include <mpfr.h>

#include <optional>
#include <span>
#include <string>

#include "runtime/numbers/surd.hpp"

namespace logdepth::inline runtime_numbers {

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

}  // namespace logdepth::inline runtime_numbers
