#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "logdepth/interruption.hpp"

namespace logdepth::inline runtime_columns {

/// A number that stands at a token: of a dictionary, or of an index.
using Label = std::uint32_t;

/// Memory of the labels of one input. Arrays are used again, as the same size comes again in every
/// layer; what is spare is held as well, and counted.
class LabelMemory {
 public:
  LabelMemory(std::size_t tokens, std::size_t limit) : tokens_(tokens), limit_(limit) {}

  std::size_t tokens() const { return tokens_; }
  std::size_t bytes() const { return held_; }
  /// Errors: HandOver beyond the limit, of these and all that follow.
  void hold(std::size_t bytes);
  void release(std::size_t bytes) { held_ -= bytes; }

 private:
  friend class Labels;
  std::size_t tokens_, limit_, held_ = 0;
  std::vector<std::unique_ptr<Label[]>> spare_;
};

/// Other memory of an input, held as long as this lives.
class HeldBytes {
 public:
  HeldBytes() = default;
  HeldBytes(std::shared_ptr<LabelMemory> memory, std::size_t bytes)
      : memory_(std::move(memory)), bytes_(bytes) {
    memory_->hold(bytes);
  }
  HeldBytes(HeldBytes&& other) noexcept
      : memory_(std::move(other.memory_)), bytes_(std::exchange(other.bytes_, 0)) {}
  HeldBytes& operator=(HeldBytes&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~HeldBytes() {
    if (memory_) memory_->release(bytes_);
  }

 private:
  std::shared_ptr<LabelMemory> memory_;
  std::size_t bytes_ = 0;
};

/// A label for every token. Filled by whoever makes it, then never changed.
class Labels {
 public:
  /// Not given twice in a process: it names these labels while they live, and afterwards.
  const std::uint64_t serial;

  explicit Labels(std::shared_ptr<LabelMemory> memory);
  ~Labels();
  Labels(const Labels&) = delete;
  Labels& operator=(const Labels&) = delete;

  Label operator[](std::size_t token) const { return labels_[token]; }
  const Label* data() const { return labels_.get(); }
  Label* data() { return labels_.get(); }

 private:
  std::shared_ptr<LabelMemory> memory_;
  std::unique_ptr<Label[]> labels_;
};
using SharedLabels = std::shared_ptr<const Labels>;

/// Calls `part(begin, end)` for all tokens, block by block, and looks for an interruption between.
template <class Part>
void over_tokens(std::size_t tokens, Part part) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  for (std::size_t begin = 0; begin < tokens; begin += kBlock) {
    look_for_interruption();
    part(begin, std::min(begin + kBlock, tokens));
  }
}

}  // namespace logdepth::inline runtime_columns
