#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/floats/number.hpp"
#include "runtime/floats/plan.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
inline namespace LOGDEPTH_SIDE {

/// What happens at a token on its own: norm, linear maps, ReLU. Each step is a plain structure of
/// pointers that is called with the number of a token, in any order. Beside every number runs a
/// bound on its error: a-posteriori error analysis, sound for every weights file.

/// Numbers of all tokens: coordinate c of token t at c * stride + t.
template <class Real>
struct Numbers {
  Real* value;
  double* error;
  std::size_t stride;

  LOGDEPTH_BOTH Ball<Real> at(std::size_t coordinate, std::size_t token) const {
    return {value[coordinate * stride + token], error[coordinate * stride + token]};
  }
  LOGDEPTH_BOTH void set(std::size_t coordinate, std::size_t token, const Ball<Real>& ball) const {
    value[coordinate * stride + token] = ball.value;
    error[coordinate * stride + token] = ball.error;
  }
};

template <class Real>
struct MatrixView {
  const std::uint32_t* target;
  const std::uint32_t* start;
  const std::uint32_t* column;
  const Real* weight;
  const double* relative;
  std::uint32_t rows;
};

/// sum += weight * x. Nothing branches and nothing is a structure to its caller, so that compilers
/// make vectors of tokens side by side.
template <class Real>
LOGDEPTH_BOTH void add_term(Real& sum, double& sum_error, const Real& weight, double relative,
                            const Real& x, double x_error, const Rounding& rounding) {
  const Real term = weight * x;
  // Bounds underflow, too.
  const double moved = magnitude(weight) * (1 + relative) * x_error + rounding.smallest;
  const double rounded = relative * magnitude(term) + rounding.smallest;
  const bool tiny = rounding.may_underflow(term), zero = x == Real(0);
  const bool underflow = tiny & !zero;
  const double error = (x_error > 0 ? moved : 0) + (relative > 0 ? rounded : 0) +
                       (underflow ? rounding.smallest : 0);
  const double above = safely_above(error);
  Ball<Real> ball{sum, sum_error};
  add_to(ball, term, error == 0 ? 0 : above, rounding);
  sum = ball.value;
  sum_error = ball.error;
}

/// Where the product of a row goes.
enum class Sink : std::uint8_t { set, add, rectify };

/// out[coordinate] of the tokens `to`, ... := the product of one row with the numbers of the tokens
/// `from`, ..., as many as there are lanes.
template <class Real, std::size_t Lanes, Sink Into>
LOGDEPTH_WIDE LOGDEPTH_BOTH void multiply_row(const MatrixView<Real>& matrix, std::uint32_t row,
                                              const Numbers<Real>& x, std::size_t from,
                                              const Numbers<Real>& out, std::uint32_t coordinate,
                                              std::size_t to, const Rounding& of_format) {
  const Rounding rounding = of_format;
  Real sum[Lanes];
  double sum_error[Lanes];
  for (std::size_t lane = 0; lane < Lanes; ++lane) {
    sum[lane] = Real(0);
    sum_error[lane] = 0;
  }
  for (std::uint32_t e = matrix.start[row]; e < matrix.start[row + 1]; ++e) {
    const Real weight = matrix.weight[e];
    const double relative = matrix.relative[e];
    const Real* value = x.value + matrix.column[e] * x.stride + from;
    const double* error = x.error + matrix.column[e] * x.stride + from;
#ifndef __CUDACC__
#pragma omp simd
#endif
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      add_term(sum[lane], sum_error[lane], weight, relative, value[lane], error[lane], rounding);
    }
  }
  Real* value = out.value + coordinate * out.stride + to;
  double* error = out.error + coordinate * out.stride + to;
#ifndef __CUDACC__
#pragma omp simd
#endif
  for (std::size_t lane = 0; lane < Lanes; ++lane) {
    Ball<Real> ball{sum[lane], sum_error[lane]};
    if constexpr (Into == Sink::add) {
      Ball<Real> before{value[lane], error[lane]};
      add_to(before, ball.value, ball.error, rounding);
      ball = before;
    }
    if constexpr (Into == Sink::rectify) {
      // |max(0, y) - 0| <= max(0, error - |x|) for every y within the error of x < 0.
      const double rest = ball.error - magnitude(ball.value);
      const double above = safely_above(rest);
      const bool on = ball.value > Real(0);
      const double off = rest <= 0 ? 0 : above;
      ball = {on ? ball.value : Real(0), on ? ball.error : off};
    }
    value[lane] = ball.value;
    error[lane] = ball.error;
  }
}

/// The product of one row with the numbers of a token.
template <class Real>
LOGDEPTH_BOTH Ball<Real> product(const MatrixView<Real>& matrix, std::uint32_t row,
                                 const Numbers<Real>& x, std::size_t token,
                                 const Rounding& rounding) {
  Ball<Real> result{Real(0), 0};
  multiply_row<Real, 1, Sink::set>(matrix, row, x, token, {&result.value, &result.error, 1}, 0, 0,
                                   rounding);
  return result;
}

/// A step for several tokens at a time: those of a vector, and the rest one by one.
template <class Step>
struct InLanes {
  /// More than a vector holds: a coordinate's numbers of other tokens are pages away.
  static constexpr std::size_t kLanes = 32;
  Step step;
  std::size_t tokens;
  static std::size_t parts(std::size_t tokens) { return (tokens + kLanes - 1) / kLanes; }
  LOGDEPTH_BOTH void operator()(std::size_t part) const {
    std::size_t token = part * kLanes;
    if (token + kLanes <= tokens) return step.template run<kLanes>(token);
    for (; token < tokens; ++token) step.template run<1>(token);
  }
};

template <class Real>
struct MaskView {
  typename PlanMask<Real>::Kind kind;
  const std::uint32_t* at;
  const Real* weight;
  const double* relative;
  std::uint32_t size;
  Real scale;
  double scale_error, least;
  bool subtract_mean;
  std::uint32_t width;
};

/// z = norm(mask * h).
template <class Real>
struct ReadMask {
  MaskView<Real> mask;
  Numbers<Real> h, z;
  Rounding rounding;
  bool snapped;  ///< a number within `tolerance` is zero
  double tolerance;
  bool bounded;           ///< a number is zero where its bound proves it
  std::uint8_t* decided;  ///< per token, for `sign`: 1, or 0 where the bounds do not decide

  LOGDEPTH_BOTH Ball<Real> masked(std::uint32_t i, std::size_t token) const {
    const Ball<Real> x = h.at(mask.at[i], token);
    Ball<Real> masked{Real(0), 0};
    // A weight beyond the range of the format is 0 here as well, but not relative to itself.
    if (!(mask.weight[i] == Real(0) && mask.relative[i] == 0))
      add_term(masked.value, masked.error, mask.weight[i], mask.relative[i], x.value, x.error,
               rounding);
    return masked;
  }

  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    if (mask.kind == PlanMask<Real>::Kind::sign) {
      read_sign(token);
    } else {
      read_measured(token);
    }
  }

  /// norm is discontinuous at 0, so a number that is 0 up to rounding has to be decided: it is
  /// nonzero if its bound says so, zero if a nonzero one would be larger, and else open.
  LOGDEPTH_BOTH void read_sign(std::size_t token) const {
    const Ball<Real> x = masked(0, token);
    const double size = magnitude(x.value);
    bool zero = size == 0, open = false;
    if (snapped) {
      zero = size <= tolerance;
    } else if (bounded && !(size > x.error)) {
      zero = true;
      open = x.error > 0 && !(size + x.error < mask.least);
    }
    decided[token] = open ? 0 : 1;
    const double rounded = mask.scale_error * magnitude(mask.scale);
    for (std::uint32_t i = 0; i < mask.size; ++i) {
      const Real own = masked(i, token).value;
      const Real value = zero ? Real(0) : own > Real(0) ? mask.scale : Real(0) - mask.scale;
      const double error = open   ? safely_above(magnitude(mask.scale) + rounded)
                           : zero ? 0
                                  : rounded;
      z.set(i, token, {value, error});
    }
  }

  LOGDEPTH_BOTH void read_measured(std::size_t token) const {
    Ball<Real> mean{Real(0), 0};
    if (mask.subtract_mean) {
      for (std::uint32_t i = 0; i < mask.size; ++i) {
        const Ball<Real> x = masked(i, token);
        add_to(mean, x.value, x.error, rounding);
      }
      mean.value = mean.value / Real(mask.width);
      // The width is rounded, too.
      mean.error = safely_above(mean.error / mask.width + rounding.loss(3, magnitude(mean.value))) +
                   rounding.smallest;
    }
    Real squares(0);
    // What squares may lose by underflow is what numbers of that size may do.
    double error_squares = mask.size * rounding.smallest;
    bool nothing = true;
    for (std::uint32_t i = 0; i < mask.size; ++i) {
      Ball<Real> x = masked(i, token);
      if (mask.subtract_mean) add_to(x, Real(0) - mean.value, mean.error, rounding);
      squares = squares + x.value * x.value;
      error_squares += x.error * x.error;
      nothing = nothing && x.error == 0 && x.value == Real(0);
      z.set(i, token, x);
    }
    const Real norm = root(squares);
    // |x| of the exact vector is at least `low`.
    const double error = safely_above(::sqrt(error_squares));
    const double size = magnitude(norm) - rounding.loss(mask.size + 4, magnitude(norm));
    const double low = size - error;
    const double full = safely_above(magnitude(mask.scale) * (1 + mask.scale_error));
    for (std::uint32_t i = 0; i < mask.size; ++i) {
      const Ball<Real> x = z.at(i, token);
      if (!(norm > Real(0)) || !(size < INFINITY)) {
        z.set(i, token, {Real(0), nothing ? 0 : full});
        continue;
      }
      const Real value = mask.scale * x.value / norm;
      const double bound = full * (x.error / low + magnitude(x.value) / size * (error / low)) +
                           rounding.loss(mask.size + 8, magnitude(value)) + rounding.smallest;
      z.set(i, token, {value, low > 0 ? safely_above(bound) : full + magnitude(value)});
    }
  }
};

/// out[row] = matrix row * z
template <class Real>
struct Project {
  MatrixView<Real> matrix;
  Numbers<Real> z, out;
  Rounding rounding;
  template <std::size_t Lanes>
  LOGDEPTH_BOTH void run(std::size_t token) const {
    for (std::uint32_t row = 0; row < matrix.rows; ++row)
      multiply_row<Real, Lanes, Sink::set>(matrix, row, z, token, out, row, token, rounding);
  }
  LOGDEPTH_BOTH void operator()(std::size_t token) const { run<1>(token); }
};

/// What a head writes: h[target of row] += matrix row * x.
template <class Real>
struct AddProduct {
  MatrixView<Real> matrix;
  Numbers<Real> x, h;
  Rounding rounding;
  template <std::size_t Lanes>
  LOGDEPTH_BOTH void run(std::size_t token) const {
    for (std::uint32_t row = 0; row < matrix.rows; ++row)
      multiply_row<Real, Lanes, Sink::add>(matrix, row, x, token, h, matrix.target[row], token,
                                           rounding);
  }
  LOGDEPTH_BOTH void operator()(std::size_t token) const { run<1>(token); }
};

/// h := L h + U ReLU(W z), for the tokens first, first + 1, ..., where L is the identity outside
/// the rows of `linear`; `scratch` has room for the units and those rows, for a tile of tokens.
template <class Real>
struct FeedForwardStep {
  MatrixView<Real> in, out, linear;
  Numbers<Real> z, scratch, h;
  std::size_t first;
  Rounding rounding;
  template <std::size_t Lanes>
  LOGDEPTH_BOTH void run(std::size_t i) const {
    const std::size_t token = first + i;
    for (std::uint32_t unit = 0; unit < in.rows; ++unit)
      multiply_row<Real, Lanes, Sink::rectify>(in, unit, z, token, scratch, unit, i, rounding);
    for (std::uint32_t row = 0; row < linear.rows; ++row)
      multiply_row<Real, Lanes, Sink::set>(linear, row, h, token, scratch, in.rows + row, i,
                                           rounding);
    for (std::uint32_t row = 0; row < linear.rows; ++row)
      for (std::size_t lane = 0; lane < Lanes; ++lane)
        h.set(linear.target[row], token + lane, scratch.at(in.rows + row, i + lane));
    for (std::uint32_t row = 0; row < out.rows; ++row)
      multiply_row<Real, Lanes, Sink::add>(out, row, scratch, i, h, out.target[row], token,
                                           rounding);
  }
  LOGDEPTH_BOTH void operator()(std::size_t i) const { run<1>(i); }
};

/// A head without a score averages all visible positions: running sums, one step per value.
template <class Real>
struct AverageAll {
  Numbers<Real> value, average;
  std::size_t tokens;
  bool causal;
  Rounding rounding;
  LOGDEPTH_BOTH void operator()(std::size_t v) const {
    CompensatedSum<Real> sum;
    double errors = 0;
    for (std::size_t t = 0; t < tokens; ++t) {
      const Ball<Real> x = value.at(v, t);
      sum.add(x.value);
      errors += x.error;
      if (causal) answer(v, t, sum, errors, t + 1);
    }
    if (!causal)
      for (std::size_t t = 0; t < tokens; ++t) answer(v, t, sum, errors, tokens);
  }
  LOGDEPTH_BOTH void answer(std::size_t v, std::size_t t, const CompensatedSum<Real>& sum,
                            double errors, std::size_t count) const {
    const double error = count == 1 ? 0 : sum.error(count, rounding);
    average.set(v, t,
                {sum.over(count),
                 error + (errors > 0 ? safely_above(errors / static_cast<double>(count) *
                                                    (1 + 0x1p-50 * static_cast<double>(count)))
                                     : 0)});
  }
};

}}}}  // namespace logdepth::runtime_floats::float_pass::LOGDEPTH_SIDE
