#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <vector>

#include "base/worker_threads.hpp"
#include "logdepth/interruption.hpp"

namespace logdepth::inline runtime_columns {

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

}  // namespace logdepth::inline runtime_columns
