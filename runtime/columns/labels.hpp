#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/worker_threads.hpp"
#include "logdepth/interruption.hpp"

namespace logdepth { inline namespace runtime_columns {

/// A certificate that does not apply: this input is for the general path. It says nothing about the
/// model; the sentence names the rule.
class HandOver : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

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

/// A range in parts that threads share. What is made of it may not depend on where parts begin: the same
/// bytes with any number of threads.
class Parts {
 public:
  /// As many parts as threads, but none with fewer than `least` elements.
  Parts(std::size_t count, std::size_t threads, std::size_t least)
      : count_(count), threads_(std::max<std::size_t>(1, std::min(threads, count / least))) {}

  std::size_t size() const { return threads_; }
  std::size_t begin(std::size_t part) const { return count_ * part / threads_; }

  /// Calls work(part, begin, end) for blocks of every part, in order within a part, and looks for an
  /// interruption between. What the first part that failed threw is thrown again when all have ended.
  template <class Work>
  void share(Work work) const {
    std::vector<std::exception_ptr> errors(threads_);
    share_work(threads_, threads_, [&](std::size_t part) {
      try {
        blocks(part, work);
      } catch (...) {
        errors[part] = std::current_exception();
      }
    });
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  template <class Work>
  void blocks(std::size_t part, const Work& work) const {
    const std::size_t last = begin(part + 1);
    for (std::size_t from = begin(part); from < last; from += kBlock) {
      look_for_interruption();
      work(part, from, std::min(from + kBlock, last));
    }
  }

  std::size_t count_, threads_;
};

}}  // namespace logdepth::runtime_columns
