#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learned/records/depth_reading.hpp"
#include "learned/records/learning_curve.hpp"

namespace logdepth::inline learned_report {

/// A length that training has passed: the curriculum has left it, or a point of the learning curve
/// has it as n*.
struct PassedSize {
  std::uint64_t size = 0;   ///< 2, 4, 8, ...
  std::uint64_t steps = 0;  ///< after which this is first known
  double tokens = 0;        ///< trained on until then
};
/// Of a run on words, ascending, each size once. `training`: that part of its record; `curve`: in it.
/// Tokens are interpolated by steps between those that are counted: at points of the curve (not in
/// older records) and at the end. Errors: InputError for fields that are not what they should be.
std::vector<PassedSize> passed_sizes(const RecordFields& training, const LearningCurve& curve);

/// By what factor the tokens grow with every doubling of the size, from the first passed size to the
/// last: the geometric mean. Absent where fewer than two sizes were passed.
std::optional<double> tokens_per_doubling(const std::vector<PassedSize>& passed);

}  // namespace logdepth::inline learned_report
