#include "runtime/exact/value_pool.hpp"

#include "base/phrases.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace runtime_exact {

ValuePool::ValuePool(std::size_t most_bytes) : most_bytes_(most_bytes) {
  clear();
}

void ValuePool::clear() {
  blocks_.clear();
  size_ = 0;
  digits_ = 0;
  slots_.assign(1024, {kFree, 0});
  slots_.shrink_to_fit();
  intern(Real(0));
  intern(Real(1));
}

ValueId ValuePool::intern(Real value) {
  const std::uint64_t hash = value.hash();
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask; slots_[i].id != kFree; i = (i + 1) & mask)
    if (slots_[i].hash == tag && entry(slots_[i].id).value == value) return slots_[i].id;
  if (size_ >= kFree) throw SizeLimit("more than 2^32 different numbers");
  const std::size_t digits = value.heap_bytes();
  // Small numbers come by the million: what they fill is looked at by who runs the file.
  if (digits > 0) expect_room(sizeof(Entry) + digits);
  digits_ += digits;
  const auto id = static_cast<ValueId>(size_);
  const Approximation approximation = value.approximate();
  const int sign = value.sign();
  if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Entry[]>(kBlock));
  blocks_.back()[size_ % kBlock] = {std::move(value), approximation, sign};
  ++size_;
  if (2 * size_ <= slots_.size()) {
    place(id, hash);
  } else {
    slots_.assign(2 * slots_.size(), {kFree, 0});
    for (ValueId old = 0; old <= id; ++old) place(old, entry(old).value.hash());
  }
  return id;
}

void ValuePool::expect_room(std::size_t bytes) const {
  const std::size_t held = this->bytes();
  if (held <= most_bytes_ && bytes <= most_bytes_ - held) return;
  throw SizeLimit("numbers of " + bytes_text(held) + " and " + bytes_text(bytes) +
                  " for the next; the limit is " + bytes_text(most_bytes_));
}

void ValuePool::place(ValueId id, std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].id != kFree) i = (i + 1) & mask;
  slots_[i] = {id, static_cast<std::uint32_t>(hash >> 32)};
}

}}  // namespace logdepth::runtime_exact
