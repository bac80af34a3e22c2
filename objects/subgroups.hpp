#pragma once

#include <cstddef>
#include <optional>

#include "objects/transition_monoid.hpp"

namespace logdepth::inline objects {

/// What the groups inside a monoid say about it. A monoid is aperiodic when they are all trivial,
/// and called solvable when they are all solvable.
struct Subgroups {
  std::size_t largest = 1;  ///< order of the largest
  /// The greatest derived length of one of them (0: all trivial, 1: all commutative, ...); absent
  /// when one of them is not solvable.
  std::optional<std::size_t> derived_length = 0;
};

Subgroups examine_subgroups(const TransitionMonoid& monoid);

}  // namespace logdepth::inline objects
