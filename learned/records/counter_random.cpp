#include "learned/records/counter_random.hpp"

#include <Random123/philox.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace logdepth { inline namespace learned_records {

CounterRandom::CounterRandom(std::uint64_t seed, RandomStream stream, std::uint64_t step,
                             std::uint64_t index)
    : counter_{0, step, index, 0}, key_{seed, static_cast<std::uint64_t>(stream)} {}

std::uint64_t CounterRandom::bits() {
  if (used_ == block_.size()) {
    using Philox = r123::Philox4x64;
    Philox::ctr_type counter;
    for (std::size_t i = 0; i < counter_.size(); ++i) counter[i] = counter_[i];
    Philox::key_type key;
    for (std::size_t i = 0; i < key_.size(); ++i) key[i] = key_[i];
    const Philox::ctr_type block = Philox()(counter, key);
    for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = block[i];
    ++counter_[0];
    used_ = 0;
  }
  return block_[used_++];
}

std::uint64_t CounterRandom::below(std::uint64_t limit) {
  // The lowest 2^64 mod limit values would favour small remainders.
  const std::uint64_t unfair = (0 - limit) % limit;
  std::uint64_t value = bits();
  while (value < unfair) value = bits();
  return value % limit;
}

double CounterRandom::normal() {
  // Box-Muller; 1 - unit() is never 0.
  const double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * std::numbers::pi * unit());
}

std::vector<std::uint32_t> CounterRandom::permutation(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}}  // namespace logdepth::learned_records
