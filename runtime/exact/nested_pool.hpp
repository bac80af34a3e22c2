#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "runtime/numbers/radical_tower.hpp"

namespace logdepth::inline runtime_exact {

/// Identity of a nested radical in its pool. Another type than ValueId: who reads exact numbers by
/// their ids cannot be given one of these.
enum class NestedId : std::uint32_t {};

/// Interned nested radicals. Equal polynomials have one id, and whatever is zero has the id 0;
/// numbers that are equal for another reason may have several ids, which costs time and no answer.
class NestedPool {
 public:
  static constexpr NestedId kZero{0};
  static constexpr NestedId kOne{1};

  NestedPool();
  NestedPool(const NestedPool&) = delete;  // references into it are handed out
  NestedPool& operator=(const NestedPool&) = delete;

  /// Errors of both: NotDecided, where it cannot be said whether the number is zero.
  NestedId intern(NestedRadical value);
  int sign(NestedId id) const { return entry(id).sign; }
  /// Valid as long as the pool.
  const NestedRadical& operator[](NestedId id) const { return entry(id).value; }
  const Approximation& approximation(NestedId id) const { return entry(id).approximation; }
  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_ + tower_.bytes(); }

  RadicalTower& tower() { return tower_; }
  const RadicalTower& tower() const { return tower_; }

 private:
  struct Entry {
    NestedRadical value;
    Approximation approximation;
    int sign;
  };
  const Entry& entry(NestedId id) const { return entries_[static_cast<std::size_t>(id)]; }

  RadicalTower tower_;
  std::deque<Entry> entries_;  // stable addresses
  std::unordered_map<NestedRadical, NestedId> ids_;
  std::size_t bytes_ = 0;
};

}  // namespace logdepth::inline runtime_exact
