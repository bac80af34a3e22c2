#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "runtime/real.hpp"

namespace logdepth {

/// Identity of an interned exact number: equal numbers have equal ids, zero is id 0, one is id 1.
using ValueId = std::uint32_t;

/// Hash-consed exact numbers. A residual stream is then a table of ids; equality of values, of
/// queries and of keys is equality of ids, and each number carries one double with its error bound.
class ValuePool {
 public:
  static constexpr ValueId kZero = 0;
  static constexpr ValueId kOne = 1;

  ValuePool();
  ValuePool(const ValuePool&) = delete;  // the index points into the stored numbers
  ValuePool& operator=(const ValuePool&) = delete;
  ValueId intern(Real value);
  const Real& operator[](ValueId id) const { return entries_[id].value; }
  const Approximation& approximation(ValueId id) const { return entries_[id].approximation; }
  int sign(ValueId id) const { return entries_[id].sign; }
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Real value;
    Approximation approximation;
    int sign;
  };
  struct Hash {
    std::size_t operator()(const Real* value) const { return value->hash(); }
  };
  struct Equal {
    bool operator()(const Real* a, const Real* b) const { return *a == *b; }
  };
  std::deque<Entry> entries_;  // stable addresses
  std::unordered_map<const Real*, ValueId, Hash, Equal> index_;
};

}  // namespace logdepth
