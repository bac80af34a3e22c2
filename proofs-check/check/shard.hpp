#pragma once

#include <cstdint>

namespace logdepth::inline proofs_check_check {

/// One of `count` parts of a test, which together are the whole test: the cases whose number in it
/// is `index` modulo `count`.
struct Shard {
  std::uint64_t index = 0, count = 1;
  bool has(std::uint64_t number) const { return number % count == index; }
  bool operator==(const Shard&) const = default;
};

/// Numbers the cases of a test in their order.
class NumberedCases {
 public:
  explicit NumberedCases(Shard shard) : shard_(shard) {}
  /// Goes on to the next case: whether it is one of the shard's.
  bool next() { return shard_.has(begun_++); }
  /// Of the latest case.
  std::uint64_t number() const { return begun_ - 1; }

 private:
  Shard shard_;
  std::uint64_t begun_ = 0;
};

}  // namespace logdepth::inline proofs_check_check
