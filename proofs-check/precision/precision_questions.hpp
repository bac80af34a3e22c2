#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "proofs-check/check/judged_floats.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline proofs_check_precision {

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
  /// Seeded; the same for every precision, of exactly this size. They keep references to the model.
  std::function<std::vector<FloatQuestion>(const Model&, std::uint64_t size, std::uint64_t seed)>
      questions;
  /// In growing order.
  std::function<std::vector<std::uint64_t>(std::uint64_t up_to)> sizes;
};

/// Of the rows of all constructions, in their places; they keep references to the constructions.
std::vector<PrecisionSeries> precision_series_of(const Catalogue& constructions);
const std::vector<PrecisionSeries>& precision_series();

}  // namespace logdepth::inline proofs_check_precision
