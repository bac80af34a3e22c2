#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/stream/tuple_pool.hpp"

namespace logdepth::inline runtime_stream {

/// What was computed before, by a key of a fixed number of ids. The keys of a memo are numbered in
/// the order in which they came, so results may be kept in tables of their own, by that number.
class Memo {
 public:
  static constexpr std::uint32_t kUnknown = static_cast<std::uint32_t>(-1);

  explicit Memo(std::size_t key_length) : keys_(key_length), results_(1, kUnknown) {}

  /// The result of a key, kUnknown at first; valid until the next call.
  std::uint32_t& operator[](const std::uint32_t* key) {
    const std::uint32_t number = keys_.intern(key);
    if (number >= results_.size()) results_.resize(keys_.size(), kUnknown);
    return results_[number];
  }
  std::size_t size() const { return keys_.size(); }
  std::size_t bytes() const { return keys_.bytes() + results_.capacity() * sizeof(std::uint32_t); }

 private:
  TuplePool<std::uint32_t> keys_;
  std::vector<std::uint32_t> results_;
};

}  // namespace logdepth::inline runtime_stream
