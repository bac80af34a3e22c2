#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "runtime/file/model.hpp"
#include "runtime/floats/float_run.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth {

/// What a float run made of an input, or of several: the worst of them.
enum class Answered { wrong, right, certified };

/// An input with what an oracle says about it: the verdict and every prefix of a word, the
/// quotient and the remainder at every position, whether two vertices (or which of all pairs) are
/// connected. Wrong is one answer that is another one, or none.
struct PrecisionQuestion {
  Tokens tokens;
  std::function<Answered(const FloatRunner&, const FloatStream&)> judge;
};

/// Runs every input and judges it; stops at the first that is less than `least`.
Answered ask(FloatRunner& runner, const std::vector<PrecisionQuestion>& questions, Answered least);

/// A family of inputs of growing size for one construction.
struct PrecisionSeries {
  std::string name;   ///< of --only: "scan-circle"
  std::string title;  ///< for people
  std::string unit;   ///< of sizes: letters, positions, vertices
  bool in_tokens;     ///< curves are about the number of tokens; else about the size
  /// The construction asks whether a difference of numbers that were computed in different ways is
  /// zero: in floating point it has to take small ones for zero. The tree's test is not one, its
  /// two numbers are copies of the same one where they are equal.
  bool tests_for_zero;
  bool has_temperature;  ///< the softmax temperature that it needs is a curve of its own
  std::function<Compiled(std::uint64_t size)> compiled;
  /// Seeded; the same for every precision, of exactly this size.
  std::function<std::vector<PrecisionQuestion>(const Model&, std::uint64_t size,
                                               std::uint64_t seed)>
      questions;
  /// In growing order.
  std::function<std::vector<std::uint64_t>(std::uint64_t up_to)> sizes;
};

const std::vector<PrecisionSeries>& precision_series();

}  // namespace logdepth
