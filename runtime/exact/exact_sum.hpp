#pragma once

#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_exact {

/// An exact accumulator. Rational terms are kept apart: they are the common case and the cheap one.
struct ExactSum {
  Rational rational;
  Real irrational;

  void add(const Real& value) {
    if (value.is_rational()) {
      rational += value.rational_part();
    } else {
      irrational = irrational + value;
    }
  }
  void add(const Rational& weight, const Real& value) {
    if (!value.is_rational()) {
      irrational = irrational + value.scaled(weight);
    } else if (weight.is_one()) {
      rational += value.rational_part();
    } else {
      rational += weight * value.rational_part();
    }
  }
  void add_product(const Real& a, const Real& b) {
    if (a.is_rational()) {
      add(a.rational_part(), b);
    } else {
      add(a * b);
    }
  }
  bool is_zero() const { return rational.is_zero() && irrational.is_zero(); }
  int sign() const { return irrational.is_zero() ? rational.sign() : value().sign(); }
  std::size_t heap_bytes() const { return rational.heap_bytes() + irrational.heap_bytes(); }
  Real value() const { return irrational.is_zero() ? Real(rational) : Real(rational) + irrational; }
};

}  // namespace logdepth::inline runtime_exact
