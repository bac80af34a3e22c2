#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "objects/action.hpp"

namespace logdepth::inline objects {

/// Maps of points that generate a monoid.
struct GeneratedMonoid {
  std::size_t points = 0;
  std::vector<Transformation> generators;
};
/// The direct product on the disjoint union of the points: a generator of one factor fixes the
/// points of the others.
GeneratedMonoid direct_product(const std::vector<GeneratedMonoid>& factors);

/// Of a monoid that has a name.
inline constexpr std::size_t kMostPoints = 4096;

/// A member of a family by its name, `Zk`, `Sk`, `Ak`, `Dk` or `Tk`, or one of `V4`, `Q8`, `flipflop`;
/// absent for another name. Errors: SizeLimit for more points than the limit.
std::optional<GeneratedMonoid> monoid_of_family(std::string_view name);

}  // namespace logdepth::inline objects
