#pragma once

#include <cmath>
#include <cstddef>

/// On x86 the loops where time goes are compiled for several generations of processors, which differ
/// in how many numbers they take at once and in no bit of the result.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define LOGDEPTH_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LOGDEPTH_WIDE
#endif

/// Runs on both sides of a CUDA build, and is plain C++ elsewhere. What both compilers make of one
/// header has another name for the linker on each side, LOGDEPTH_SIDE, so that neither is taken for
/// the other.
#ifdef __CUDACC__
#define LOGDEPTH_BOTH __host__ __device__
#define LOGDEPTH_SIDE on_cuda
#else
#define LOGDEPTH_BOTH
#define LOGDEPTH_SIDE on_host
#endif

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

// What the pass asks of its numbers beyond + - * / and comparisons. The same names are defined for
// Mpfr (mpfr_pass.hpp).
LOGDEPTH_BOTH inline double root(double x) {
  return ::sqrt(x);
}
LOGDEPTH_BOTH inline float root(float x) {
  return ::sqrtf(x);
}
LOGDEPTH_BOTH inline double exponential(double x) {
  return ::exp(x);
}
LOGDEPTH_BOTH inline float exponential(float x) {
  return ::expf(x);
}
LOGDEPTH_BOTH inline double as_double(double x) {
  return x;
}
LOGDEPTH_BOTH inline double as_double(float x) {
  return static_cast<double>(x);
}
template <class Real>
LOGDEPTH_BOTH double magnitude(const Real& x) {
  return ::fabs(as_double(x));
}

/// A bound that is the result of a few operations in double, made safe against their rounding and
/// against underflow.
LOGDEPTH_BOTH inline double safely_above(double bound) {
  const double above = bound * (1 + 0x1p-44) + 0x1p-1000;
  return bound == bound ? above : INFINITY;
}

/// Round to nearest with unit roundoff u: fl(a op b) = (a op b)(1 + d), |d| <= u.
struct Rounding {
  double u = 0x1p-53;
  double smallest = 0;  ///< what one operation may lose by underflow

  /// gamma_k = k u / (1 - k u): k roundings of one quantity change it by at most this factor;
  /// infinite where the bound does not hold any more.
  LOGDEPTH_BOTH double gamma(double k) const { return k * u < 1 ? k * u / (1 - k * u) : INFINITY; }
  /// gamma_k * size; nothing is lost of nothing.
  LOGDEPTH_BOTH double loss(double k, double size) const { return size == 0 ? 0 : gamma(k) * size; }
  /// Whether a product came so near to zero that it may have lost `smallest`.
  template <class Real>
  LOGDEPTH_BOTH bool may_underflow(const Real& product) const;
};

template <class Real>
LOGDEPTH_BOTH bool Rounding::may_underflow(const Real& product) const {
  return magnitude(product) < smallest * 0x1p20;
}

/// A number with a bound on its distance from the exact one.
template <class Real>
struct Ball {
  Real value;
  double error;
};

/// a + b rounded, and what the rounding lost: itself a floating-point number (Knuth's two-sum).
template <class Real>
struct TwoSum {
  Real sum, lost;
};
template <class Real>
LOGDEPTH_BOTH TwoSum<Real> two_sum(const Real& a, const Real& b) {
  const Real sum = a + b;
  const Real part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// ball += term. Sums that are exact, of flags and small integers, stay free of error.
template <class Real>
LOGDEPTH_BOTH void add_to(Ball<Real>& ball, const Real& term, double term_error,
                          const Rounding& rounding) {
  const TwoSum<Real> next = two_sum(ball.value, term);
  ball.value = next.sum;
  const double error = ball.error + term_error + magnitude(next.lost);
  const double above = safely_above(error) + rounding.smallest;
  ball.error = error == 0 ? 0 : above;
}

/// A sum whose rounding errors are added up beside it and put back at the end (Kahan and Babuska).
template <class Real>
struct CompensatedSum {
  Real sum = Real(0), lost = Real(0);
  double size = 0;  ///< of what was lost, added up

  LOGDEPTH_BOTH void add(const Real& x) {
    const TwoSum<Real> next = two_sum(sum, x);
    sum = next.sum;
    lost = lost + next.lost;
    size += magnitude(next.lost);
  }
  LOGDEPTH_BOTH Real over(std::size_t count) const {
    return (sum + lost) / Real(static_cast<double>(count));
  }
  /// Of over(count): the count is rounded, the two sums, and the quotient.
  LOGDEPTH_BOTH double error(std::size_t count, const Rounding& rounding) const {
    const double n = static_cast<double>(count);
    return safely_above(rounding.loss(n, size) * (1 + 0x1p-50 * n) / n +
                        rounding.loss(5, magnitude(over(count)))) +
           rounding.smallest;
  }
};

}}}  // namespace logdepth::runtime_floats::float_pass
