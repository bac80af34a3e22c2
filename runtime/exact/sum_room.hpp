#pragma once

#include <cstddef>

#include "runtime/exact/exact_sum.hpp"
#include "runtime/exact/value_pool.hpp"

namespace logdepth::inline runtime_exact {

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

}  // namespace logdepth::inline runtime_exact
