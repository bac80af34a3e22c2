#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "runtime/floats/number.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/token_steps.hpp"

namespace logdepth::inline runtime_floats::float_pass {
inline namespace LOGDEPTH_SIDE {

/// What a row needs beyond its query.
struct RowBounds {
  double a = 0, e = 0, rho = 0;
  double products = 0;  ///< P
  double scale = 0;     ///< |q||k|, for Rule::snapped
  double farthest = 0;  ///< no X is larger
};

template <class Real>
struct HeadView {
  bool causal;
  std::uint32_t products, metric, blocks;
  const std::uint32_t* block_end;  ///< dimensions, counted from `products`
  const Real* block_norm;          ///< of the keys
  const double* key_error;         ///< per dimension, largest over the tokens
  const double* key_size;          ///< per dimension, largest over the tokens
  bool scaled;
  double gap;
  typename PlanHead<Real>::Selects selects;
  bool matches;
  Numbers<Real> query, key;  ///< the query is replaced by the scaled one
  Real* weight;              ///< per block and token
  RowBounds* bounds;         ///< per token
};

/// |x| of every number.
template <class Real>
struct Magnitude {
  Numbers<Real> x;
  double* size;
  LOGDEPTH_BOTH void operator()(std::size_t i) const { size[i] = magnitude(x.value[i]); }
};

/// Replaces the query of a token by the scaled one, products by twice the query.
template <class Real>
struct PrepareQuery {
  HeadView<Real> head;
  Rounding rounding;
  LOGDEPTH_BOTH void operator()(std::size_t token) const {
    RowBounds row;
    for (std::uint32_t d = 0; d < head.products; ++d) {
      Ball<Real> q = head.query.at(d, token);
      const double size = magnitude(q.value);
      row.products += 2 * size * head.key_size[d];
      row.e += 2 * (size * head.key_error[d] + q.error * (head.key_size[d] + head.key_error[d]));
      q.value = q.value + q.value;
      head.query.set(d, token, q);
    }
    row.scale = row.products / 2;
    double squares = 0;
    std::uint32_t begin = 0;
    for (std::uint32_t b = 0; b < head.blocks; begin = head.block_end[b], ++b)
      prepare_block(token, b, begin, row, squares);
    row.e += rounding.loss(head.products + head.metric + 4, 2 * row.products);
    row.rho += rounding.gamma(head.products + head.metric + 8);
    // Weights that are off by a factor 1 + rho also scale what a causes.
    row.a = safely_above(::sqrt(squares)) * (1 + 2 * row.rho);
    row.rho *= 1 + 2 * row.rho;
    row.e = safely_above(row.e) + rounding.smallest;
    row.products = safely_above(row.products);
    row.farthest = (row.farthest + 2 * row.products) * (1 + 0x1p-10);
    // Scores that overflow are worth nothing.
    if (!(magnitude(Real(8 * (row.products + row.scale))) < INFINITY)) row.e = INFINITY;
    head.bounds[token] = row;
  }

  LOGDEPTH_BOTH void prepare_block(std::size_t token, std::uint32_t b, std::uint32_t begin,
                                   RowBounds& row, double& squares) const {
    Real sum(0);
    // Squares may underflow: as much as a query of that size.
    double query_error = (head.block_end[b] - begin) * rounding.smallest, key_error = 0;
    for (std::uint32_t d = begin; d < head.block_end[b]; ++d) {
      const Ball<Real> q = head.query.at(head.products + d, token);
      sum = sum + q.value * q.value;
      query_error += q.error * q.error;
      key_error += head.key_error[head.products + d] * head.key_error[head.products + d];
    }
    query_error = safely_above(::sqrt(query_error));
    key_error = safely_above(::sqrt(key_error));
    const Real norm = root(sum);
    const Real key_norm = head.block_norm[b];
    const double size = magnitude(norm), key_size = magnitude(key_norm);
    double weight = 1, moved = query_error, length = size;
    head.weight[b * head.query.stride + token] = Real(1);
    if (!head.scaled || head.blocks == 1) {
      const double few = rounding.gamma(head.metric + 8);
      const double low = size - rounding.loss(head.metric + 8, size) - query_error;
      const bool direction = low > 0 && size < INFINITY;
      length = direction ? key_size : 0;
      for (std::uint32_t d = begin; d < head.block_end[b]; ++d) {
        Ball<Real> q = head.query.at(head.products + d, token);
        q.value = direction ? q.value * key_norm / norm : Real(0);
        head.query.set(head.products + d, token, q);
      }
      // |x/|x| - y/|y|| <= 2 |x - y| / (|x| + |y|) in a Euclidean space (Dunkl and Williams 1964).
      moved = key_size * (2 * query_error / (low + size) + few);
      if (!head.scaled) {
        weight = size / key_size;
        if (direction) {
          row.rho += query_error / low + few;
          head.weight[b * head.query.stride + token] = norm / key_norm;
        } else {
          // No direction: the block adds at most |q||k| to the score, and is left out.
          head.weight[b * head.query.stride + token] = Real(0);
          row.e += 2 * (size + query_error) * key_size;
          weight = moved = 0;
        }
      } else if (!direction) {
        moved = 2 * key_size;
      }
    }
    row.scale += weight * key_size * key_size;
    squares += weight * (moved + key_error) * (moved + key_error);
    const double apart = length + key_size + key_error;
    row.farthest += weight * apart * apart;
  }
};

}  // namespace LOGDEPTH_SIDE
}  // namespace logdepth::inline runtime_floats::float_pass
