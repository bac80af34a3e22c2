#pragma once

#include "runtime/numbers/rational.hpp"

namespace logdepth::inline runtime_numbers {

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

}  // namespace logdepth::inline runtime_numbers
