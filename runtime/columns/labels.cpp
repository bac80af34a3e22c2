#include "runtime/columns/labels.hpp"

#include <atomic>

#include "base/phrases.hpp"

namespace logdepth { inline namespace runtime_columns {
namespace {

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial = 0;
  return ++serial;
}

}  // namespace

void LabelMemory::hold(std::size_t bytes) {
  if (bytes > limit_ || held_ > limit_ - bytes)
    throw HandOver("columns of " + bytes_text(held_ + bytes) + " exceed the memory limit of " +
                   bytes_text(limit_));
  held_ += bytes;
}

Labels::Labels(std::shared_ptr<LabelMemory> memory)
    : serial(next_serial()), memory_(std::move(memory)) {
  auto& spare = memory_->spare_;
  if (spare.empty()) {
    memory_->hold(memory_->tokens_ * sizeof(Label));
    labels_.reset(new Label[memory_->tokens_]);  // written before they are read
  } else {
    labels_ = std::move(spare.back());
    spare.pop_back();
  }
}

Labels::~Labels() {
  memory_->spare_.push_back(std::move(labels_));
}

}}  // namespace logdepth::runtime_columns
