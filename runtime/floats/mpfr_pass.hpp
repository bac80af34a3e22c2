#pragma once

#include <mpfr.h>

#include <cmath>
#include <memory>

#include "runtime/floats/plan.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

/// An MPFR number of the thread's default precision, as the pass wants its numbers: every operation
/// is rounded to nearest.
class Mpfr {
 public:
  Mpfr() : Mpfr(0.0) {}
  explicit Mpfr(double x) {
    mpfr_init(x_);
    mpfr_set_d(x_, x, MPFR_RNDN);
  }
  Mpfr(const Mpfr& other) {
    mpfr_init2(x_, mpfr_get_prec(other.x_));
    mpfr_set(x_, other.x_, MPFR_RNDN);
  }
  Mpfr(Mpfr&& other) noexcept : Mpfr() { mpfr_swap(x_, other.x_); }
  Mpfr& operator=(const Mpfr& other) {
    if (this != &other) {
      mpfr_set_prec(x_, mpfr_get_prec(other.x_));
      mpfr_set(x_, other.x_, MPFR_RNDN);
    }
    return *this;
  }
  Mpfr& operator=(Mpfr&& other) noexcept {
    mpfr_swap(x_, other.x_);
    return *this;
  }
  ~Mpfr() { mpfr_clear(x_); }

  mpfr_ptr get() { return x_; }
  mpfr_srcptr get() const { return x_; }

  friend Mpfr operator+(const Mpfr& a, const Mpfr& b) { return apply(mpfr_add, a, b); }
  friend Mpfr operator-(const Mpfr& a, const Mpfr& b) { return apply(mpfr_sub, a, b); }
  friend Mpfr operator*(const Mpfr& a, const Mpfr& b) { return apply(mpfr_mul, a, b); }
  friend Mpfr operator/(const Mpfr& a, const Mpfr& b) { return apply(mpfr_div, a, b); }
  friend bool operator<(const Mpfr& a, const Mpfr& b) { return mpfr_less_p(a.x_, b.x_) != 0; }
  friend bool operator>(const Mpfr& a, const Mpfr& b) { return b < a; }
  friend bool operator<=(const Mpfr& a, const Mpfr& b) { return mpfr_lessequal_p(a.x_, b.x_) != 0; }
  friend bool operator==(const Mpfr& a, const Mpfr& b) { return mpfr_equal_p(a.x_, b.x_) != 0; }

  friend Mpfr root(const Mpfr& x) {
    Mpfr result;
    mpfr_sqrt(result.x_, x.x_, MPFR_RNDN);
    return result;
  }
  friend Mpfr exponential(const Mpfr& x) {
    Mpfr result;
    mpfr_exp(result.x_, x.x_, MPFR_RNDN);
    return result;
  }
  friend double as_double(const Mpfr& x) { return mpfr_get_d(x.x_, MPFR_RNDN); }
  /// Not below the true one.
  friend double magnitude(const Mpfr& x) { return std::fabs(mpfr_get_d(x.x_, MPFR_RNDA)); }

 private:
  template <class Operation>
  static Mpfr apply(Operation operation, const Mpfr& a, const Mpfr& b) {
    Mpfr result;
    operation(result.x_, a.x_, b.x_, MPFR_RNDN);
    return result;
  }
  mpfr_t x_;
};

/// The pass in one thread; the thread's default MPFR precision must be the plan's during its life.
std::unique_ptr<Pass<Mpfr>> mpfr_pass(const Plan<Mpfr>& plan, const Choice& choice);

}}}  // namespace logdepth::runtime_floats::float_pass
