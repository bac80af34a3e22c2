#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "runtime/numbers/real.hpp"

namespace logdepth::inline runtime_exact {

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

}  // namespace logdepth::inline runtime_exact
