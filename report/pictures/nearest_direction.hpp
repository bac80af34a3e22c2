#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/figures/direction_circle.hpp"
#include "runtime/exact/exact.hpp"
#include "runtime/stream/head_rows.hpp"

namespace logdepth::inline report_pictures {

/// What one token asks of the keys that it sees, by a head whose scores are products of two numbers
/// each.
struct PlaneQuestion {
  using Vector = std::array<Real, 2>;
  Vector query;
  std::vector<Vector> keys;
};

/// Of the last token; absent for heads of other score dimensions.
std::optional<PlaneQuestion> last_question(const HeadRows<ValueId>& rows, const ValuePool& pool);

/// The picture of a head that selects one key by the nearest angle: all keys are of one length, and
/// the query is none of their directions. Absent for other questions, and where a direction points to
/// the left or down.
std::optional<DirectionCircle> nearest_direction(const PlaneQuestion& question,
                                                 const std::vector<std::size_t>& selected,
                                                 std::size_t token);

}  // namespace logdepth::inline report_pictures
