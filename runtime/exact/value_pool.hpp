#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/numbers/rational.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace runtime_exact {

/// Identity of an interned exact number: equal numbers have equal ids, zero is id 0, one is id 1.
using ValueId = std::uint32_t;

/// Hash-consed exact numbers. A residual stream is then a table of ids; equality of values, of
/// queries and of keys is equality of ids, and each number carries one double with its error bound.
class ValuePool {
 public:
  static constexpr ValueId kZero = 0;
  static constexpr ValueId kOne = 1;

  /// `most_bytes`: what its numbers may hold, with those that are still being added up.
  explicit ValuePool(std::size_t most_bytes = std::numeric_limits<std::size_t>::max());
  ValuePool(const ValuePool&) = delete;  // references into it are handed out
  ValuePool& operator=(const ValuePool&) = delete;
  /// Errors: SizeLimit when there are no more ids, or the number does not fit into `most_bytes`.
  ValueId intern(Real value);
  /// Back to zero and one alone.
  void clear();
  /// Valid as long as the pool.
  const Real& operator[](ValueId id) const { return entry(id).value; }
  const Approximation& approximation(ValueId id) const { return entry(id).approximation; }
  int sign(ValueId id) const { return entry(id).sign; }
  std::size_t size() const { return size_; }
  /// Errors: SizeLimit when so many bytes do not fit beside the numbers.
  void expect_room(std::size_t bytes) const;
  /// Memory, the digits of large numbers included.
  std::size_t bytes() const {
    return size_ * sizeof(Entry) + slots_.capacity() * sizeof(Slot) + digits_;
  }

 private:
  struct Entry {
    Real value;
    Approximation approximation;
    int sign = 0;
  };
  struct Slot {
    ValueId id;
    std::uint32_t hash;  ///< its upper half, so that other numbers are seldom looked at
  };
  static constexpr ValueId kFree = static_cast<ValueId>(-1);

  static constexpr std::size_t kBlock = 128;

  const Entry& entry(ValueId id) const { return blocks_[id / kBlock][id % kBlock]; }
  void place(ValueId id, std::uint64_t hash);

  std::vector<std::unique_ptr<Entry[]>> blocks_;  // stable addresses
  std::size_t size_ = 0;
  std::vector<Slot> slots_;  // open addressing, at most half full, a power of two
  std::size_t most_bytes_;
  std::size_t digits_ = 0;  // bytes that the entries hold beside themselves
};

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

/// What sums hold while terms are added to them: many may be open at a time, each as large as all
/// its terms together, before one of them is a number of the pool.
class SumRoom {
 public:
  explicit SumRoom(const ValuePool& pool) : pool_(pool) {}

  /// Adds to a sum. Errors: SizeLimit when the open sums do not fit beside the pool's numbers.
  template <class Add>
  void grow(ExactSum& sum, Add add) {
    const std::size_t before = sum.heap_bytes();
    add();
    const std::size_t after = sum.heap_bytes();
    if ((before | after) == 0) return;
    held_ = held_ - before + after;
    pool_.expect_room(held_);
  }
  /// The sum is about to be closed.
  void close(const ExactSum& sum) { held_ -= sum.heap_bytes(); }
  /// All sums that are open are gone.
  void clear() { held_ = 0; }

 private:
  const ValuePool& pool_;
  std::size_t held_ = 0;
};

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

}}  // namespace logdepth::runtime_exact
