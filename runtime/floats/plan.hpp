#pragma once

#include <cstdint>
#include <vector>

#include "runtime/floats/number.hpp"

namespace logdepth::inline runtime_floats::float_pass {

/// A weights file as plain arrays of floating-point numbers: what a device needs, and nothing of
/// the exact world. Made by plan_maker.hpp.

/// Sparse, by rows. A product with `weight[e]` is off by at most `relative[e]` of itself: the
/// rounding of the weight and of the product, 0 for a power of two.
template <class Real>
struct PlanMatrix {
  std::vector<std::uint32_t> target;  ///< per row: where it goes
  std::vector<std::uint32_t> start;   ///< per row, and the end
  std::vector<std::uint32_t> column;
  std::vector<Real> weight;
  std::vector<double> relative;

  std::uint32_t rows() const { return static_cast<std::uint32_t>(target.size()); }
};

/// z = norm(mask * h), on the coordinates that the mask keeps (or, if a mean has to be subtracted,
/// on all of them).
template <class Real>
struct PlanMask {
  enum class Kind : std::uint8_t {
    folded,   ///< the norm is known: scale and mask are in the matrices, which read h itself
    sign,     ///< one number (and its mirror) that is 0 or at least `least`: z = +-scale or 0
    measured  ///< z = scale * x / |x|, scale = sqrt(width)
  };
  Kind kind = Kind::measured;
  std::vector<std::uint32_t> at;  ///< coordinates
  std::vector<Real> weight;
  std::vector<double> relative;  ///< as in PlanMatrix
  Real scale{};
  double scale_error = 0;  ///< relative
  double least = 0;        ///< sign; 0: nothing is known
  bool subtract_mean = false;
  std::uint32_t width = 0;
};

/// A head. Score dimensions are ordered: first those scored by products, then block by block those
/// scored by distances.
template <class Real>
struct PlanHead {
  bool causal = true;
  bool compares = true;  ///< else every score is 0
  std::uint32_t products = 0;
  std::vector<std::uint32_t> block_end;  ///< dimensions, counted from `products`
  std::vector<Real> block_norm;          ///< of the keys
  /// Queries are scaled to the keys' norms: by the run (one block), or they have them (several).
  bool scaled = false;
  double gap = 0;  ///< least distance of a score from the largest, or 0: not known
  /// What the head promises of its scores alone: one position is selected, or every visible one.
  enum class Selects : std::uint8_t { anything, one, all };
  Selects selects = Selects::anything;
  /// Promised, and scored by distances alone: a selected key is at distance 0.
  bool matches = false;
  PlanMatrix<Real> query, key, value, output;
};

template <class Real>
struct PlanLayer {
  PlanMask<Real> attention_mask, feedforward_mask;
  std::vector<PlanHead<Real>> heads;
  /// Units, and what they add. Pairs of units that make up x = ReLU(x) - ReLU(-x) are in `linear`
  /// if the mask is folded: its rows replace h instead of adding to it, so that a cell that is
  /// erased is exactly 0 and one that is moved is copied bit by bit.
  PlanMatrix<Real> in, out, linear;
};

template <class Real>
struct Plan {
  std::vector<PlanLayer<Real>> layers;
  Rounding rounding;
};

}  // namespace logdepth::inline runtime_floats::float_pass
