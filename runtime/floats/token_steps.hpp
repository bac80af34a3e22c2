#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/floats/number.hpp"
#include "runtime/floats/plan.hpp"

namespace logdepth::inline runtime_floats::float_pass {
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

/// The product of one row with the numbers of a token.
template <class Real>
LOGDEPTH_BOTH Ball<Real> product(const MatrixView<Real>& matrix, std::uint32_t row,
                                 const Numbers<Real>& x, std::size_t token,
                                 const Rounding& rounding) {
  Ball<Real> sum{Real(0), 0};
  for (std::uint32_t e = matrix.start[row]; e < matrix.start[row + 1]; ++e) {
    const Ball<Real> factor = x.at(matrix.column[e], token);
    const Real term = matrix.weight[e] * factor.value;
    const double relative = matrix.relative[e];
    double error = 0;
    if (factor.error > 0) error += magnitude(matrix.weight[e]) * (1 + relative) * factor.error;
    if (relative > 0) error += relative * magnitude(term) + rounding.smallest;
    if (rounding.may_underflow(term) && !(factor.value == Real(0))) error += rounding.smallest;
    add_to(sum, term, error == 0 ? 0 : safely_above(error), rounding);
  }
  return sum;
}

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
    Ball<Real> x = h.at(mask.at[i], token);
    if (mask.weight[i] == Real(0)) return {Real(0), 0};
    const bool nothing = x.value == Real(0);
    x.value = mask.weight[i] * x.value;
    double error = magnitude(mask.weight[i]) * (1 + mask.relative[i]) * x.error +
                   mask.relative[i] * magnitude(x.value);
    if (rounding.may_underflow(x.value) && !nothing) error += rounding.smallest;
    x.error = error == 0 ? 0 : safely_above(error) + rounding.smallest;
    return x;
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
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    for (std::uint32_t row = 0; row < matrix.rows; ++row)
      out.set(row, token, product(matrix, row, z, token, rounding));
  }
};

/// h[target of row] += matrix row * x, where token `from` of x belongs to token `token` of h.
template <class Real>
LOGDEPTH_BOTH void add_product(const MatrixView<Real>& matrix, const Numbers<Real>& x,
                               std::size_t from, const Numbers<Real>& h, std::size_t token,
                               const Rounding& rounding) {
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    const Ball<Real> term = product(matrix, row, x, from, rounding);
    Ball<Real> sum = h.at(matrix.target[row], token);
    add_to(sum, term.value, term.error, rounding);
    h.set(matrix.target[row], token, sum);
  }
}

/// What a head writes.
template <class Real>
struct AddProduct {
  MatrixView<Real> matrix;
  Numbers<Real> x, h;
  Rounding rounding;
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    add_product(matrix, x, token, h, token, rounding);
  }
};

/// h := L h + U ReLU(W z), for the tokens first, first + 1, ..., where L is the identity outside
/// the rows of `linear`; `scratch` has room for the units and those rows, for a tile of tokens.
template <class Real>
struct FeedForwardStep {
  MatrixView<Real> in, out, linear;
  Numbers<Real> z, scratch, h;
  std::size_t first;
  Rounding rounding;
  LOGDEPTH_BOTH void operator()(std::size_t i) const {
    const std::size_t token = first + i;
    for (std::uint32_t unit = 0; unit < in.rows; ++unit) {
      Ball<Real> x = product(in, unit, z, token, rounding);
      if (!(x.value > Real(0))) {
        // |max(0, y) - 0| <= max(0, error - |x|) for every y within the error of x < 0.
        const double error = x.error - magnitude(x.value);
        x = {Real(0), error <= 0 ? 0 : safely_above(error)};
      }
      scratch.set(unit, i, x);
    }
    for (std::uint32_t row = 0; row < linear.rows; ++row)
      scratch.set(in.rows + row, i, product(linear, row, h, token, rounding));
    for (std::uint32_t row = 0; row < linear.rows; ++row)
      h.set(linear.target[row], token, scratch.at(in.rows + row, i));
    add_product(out, scratch, i, h, token, rounding);
  }
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

}  // namespace LOGDEPTH_SIDE
}  // namespace logdepth::inline runtime_floats::float_pass
