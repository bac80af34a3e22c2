#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>

namespace logdepth::inline learned_records {

/// A task whose samples can be written as CSV, for training code of other programs.
class BatchText {
 public:
  virtual ~BatchText() = default;
  /// The first line, and the training batch of a step.
  virtual void write_batch_header(std::ostream& out) const = 0;
  virtual void write_batch(std::ostream& out, std::size_t stage, std::uint64_t step) const = 0;
  /// The samples of the measure of a network that was trained up to `stage`, with a header.
  virtual void write_measured(std::ostream& out, std::size_t stage) const = 0;
};

}  // namespace logdepth::inline learned_records
