#include "runtime/exact/nested_pool.hpp"

#include <utility>

namespace logdepth::inline runtime_exact {

NestedPool::NestedPool() {
  intern(NestedRadical());
  intern(Real(1));
}

NestedId NestedPool::intern(NestedRadical value) {
  value = tower_.named(std::move(value));
  if (const auto known = ids_.find(value); known != ids_.end()) return known->second;
  const int sign = tower_.sign(value);
  const bool hidden_zero = sign == 0 && !entries_.empty();
  const NestedId id = hidden_zero ? kZero : NestedId{static_cast<std::uint32_t>(entries_.size())};
  // Held twice, as a number and as a key; a node of the map holds some pointers beside.
  bytes_ += 2 * (sizeof(Entry) + value.heap_bytes()) + 64;
  if (!hidden_zero) entries_.push_back({value, tower_.approximate(value), sign});
  ids_.emplace(std::move(value), id);
  return id;
}

}  // namespace logdepth::inline runtime_exact
