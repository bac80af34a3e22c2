#pragma once

#include <cstddef>
#include <string>

#include "runtime/file/prefix_answer.hpp"
#include "runtime/numbers/outcome.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth {

/// What one run of a file answers, however its numbers were kept.
class RunAnswers {
 public:
  virtual ~RunAnswers() = default;
  virtual std::size_t tokens() const = 0;
  virtual Outcome<bool> accepts(std::size_t token) = 0;
  virtual Outcome<bool> connected(std::size_t source, std::size_t target) = 0;
  virtual Outcome<PrefixAnswer> prefix(std::size_t token) = 0;
  /// Whether the logit of this row is the number.
  virtual Outcome<bool> is(std::size_t token, std::size_t row, const Real& number) = 0;
  /// Whether this coordinate of the stream is 0 after the last layer.
  virtual Outcome<bool> zero(std::size_t token, std::size_t coordinate) = 0;
  /// The logit as an exact run spells it.
  virtual std::string number(std::size_t token, std::size_t row) = 0;
};

}  // namespace logdepth
