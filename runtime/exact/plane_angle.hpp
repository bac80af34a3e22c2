#pragma once

#include <cmath>
#include <utility>

#include "runtime/exact/value_pool.hpp"

namespace logdepth::inline runtime_exact {

/// A vector of the plane, as interned numbers.
using PlaneVector = std::pair<ValueId, ValueId>;

/// The order of non-zero vectors of the plane by angle in [0, 2 pi), exact: equal are exactly the
/// positive multiples.
class ByAngle {
 public:
  explicit ByAngle(const ValuePool& pool) : pool_(pool) {}
  bool operator()(const PlaneVector& a, const PlaneVector& b) const {
    const bool a_below = below(a), b_below = below(b);
    if (a_below != b_below) return b_below;
    return a != b && cross_sign(a, b) > 0;
  }

 private:
  bool below(const PlaneVector& a) const {
    const int y = pool_.sign(a.second);
    return y < 0 || (y == 0 && pool_.sign(a.first) < 0);
  }
  /// The sign of a.x b.y - b.x a.y.
  int cross_sign(const PlaneVector& a, const PlaneVector& b) const {
    const Approximation &ax = pool_.approximation(a.first), &ay = pool_.approximation(a.second),
                        &bx = pool_.approximation(b.first), &by = pool_.approximation(b.second);
    const double left = ax.value * by.value, right = bx.value * ay.value;
    // Each factor is off by its bound; the last term covers the three roundings here.
    const double bound =
        (std::abs(ax.value) + ax.bound) * by.bound + ax.bound * std::abs(by.value) +
        (std::abs(bx.value) + bx.bound) * ay.bound + bx.bound * std::abs(ay.value) +
        0x1p-50 * (std::abs(left) + std::abs(right)) + 0x1p-1000;
    if (left - right > 2 * bound) return 1;
    if (left - right < -2 * bound) return -1;
    const Real cross = pool_[a.first] * pool_[b.second] - pool_[b.first] * pool_[a.second];
    return cross.sign();
  }
  const ValuePool& pool_;
};

}  // namespace logdepth::inline runtime_exact
