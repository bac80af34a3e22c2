#pragma once

#include <cstdlib>

#include "runtime/numbers/rational.hpp"

namespace logdepth {

/// Exact also where no double is.
inline Rational power_of_two(int exponent) {
  mpz_class power = 1;
  power <<= std::abs(exponent);
  return exponent < 0 ? Rational(mpq_class(mpz_class(1), power)) : Rational(mpq_class(power));
}

}  // namespace logdepth
