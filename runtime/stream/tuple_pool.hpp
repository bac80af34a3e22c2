#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_stream {

/// Identity of an interned tuple in its pool: equal tuples have equal ids, the zero tuple is id 0.
using TupleId = std::uint32_t;

/// Hash-consed tuples of one length. Values are compared by their bytes: ids of interned numbers,
/// or numbers of which equal ones have equal bytes.
template <class Value>
class TuplePool {
  static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(std::uint32_t) == 0);

 public:
  static constexpr TupleId kZero = 0;

  explicit TuplePool(std::size_t length, Value zero = Value{})
      : length_(length), slots_(16, kFree) {
    const std::vector<Value> zeros(length, zero);
    insert(zeros.data(), hash(zeros.data()));
  }

  /// The id of the tuple of length() values at `tuple`, which must not lie in this pool. Errors:
  /// SizeLimit when there are no more ids.
  TupleId intern(const Value* tuple) {
    // Tokens mostly come again in the order in which they came first.
    if (same(last_, tuple)) return last_;
    if (last_ + 1 < size_ && same(last_ + 1, tuple)) return ++last_;
    const std::uint64_t h = hash(tuple);
    for (std::size_t slot = h & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == kFree) return last_ = insert(tuple, h);
      if (same(slots_[slot], tuple)) return last_ = slots_[slot];
    }
  }

  /// Valid until the next tuple is interned.
  std::span<const Value> operator[](TupleId id) const {
    return {values_.data() + id * length_, length_};
  }
  std::size_t length() const { return length_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const {
    return values_.capacity() * sizeof(Value) + slots_.capacity() * sizeof(TupleId);
  }

 private:
  static constexpr TupleId kFree = static_cast<TupleId>(-1);

  bool same(TupleId id, const Value* tuple) const {
    const Value* own = values_.data() + id * length_;
    for (std::size_t i = 0; i < length_; ++i)
      if (std::memcmp(own + i, tuple + i, sizeof(Value)) != 0) return false;
    return true;
  }
  std::uint64_t hash(const Value* tuple) const {
    std::uint64_t result = 0x9e3779b97f4a7c15;
    std::uint32_t word = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(tuple);
    for (std::size_t i = 0; i < length_ * sizeof(Value); i += sizeof word) {
      std::memcpy(&word, bytes + i, sizeof word);
      result = (result ^ word) * 0xff51afd7ed558ccd;
      result ^= result >> 32;
    }
    return result;
  }
  TupleId insert(const Value* tuple, std::uint64_t h) {
    if (size_ >= kFree) throw SizeLimit("more than 2^32 different tuples");
    const auto id = static_cast<TupleId>(size_++);
    values_.insert(values_.end(), tuple, tuple + length_);
    if (2 * size_ > slots_.size()) {
      slots_.assign(2 * slots_.size(), kFree);
      for (TupleId i = 0; i < size_; ++i) place(i, hash(values_.data() + i * length_));
    } else {
      place(id, h);
    }
    return id;
  }
  void place(TupleId id, std::uint64_t h) {
    std::size_t slot = h & (slots_.size() - 1);
    while (slots_[slot] != kFree) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = id;
  }

  std::size_t length_;
  std::size_t size_ = 0;
  TupleId last_ = 0;
  std::vector<Value> values_;   // row-major, size() x length()
  std::vector<TupleId> slots_;  // open addressing, at most half full, a power of two
};

}  // namespace logdepth::inline runtime_stream
