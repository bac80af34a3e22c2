#include "runtime/value_pool.hpp"

#include <utility>

namespace logdepth {

ValuePool::ValuePool() {
  intern(Real(0));
  intern(Real(1));
}

ValueId ValuePool::intern(Real value) {
  if (const auto found = index_.find(&value); found != index_.end()) return found->second;
  const auto id = static_cast<ValueId>(entries_.size());
  Entry entry{std::move(value), {}, 0};
  entry.approximation = entry.value.approximate();
  entry.sign = entry.value.sign();
  entries_.push_back(std::move(entry));
  index_.emplace(&entries_.back().value, id);
  return id;
}

}  // namespace logdepth
