#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/cascade.hpp"
#include "objects/holonomy.hpp"

namespace logdepth::inline objects {

/// What is known of a group without its elements.
struct GroupSummary {
  std::size_t order = 1;
  /// The orders of the cyclic factors of each commutative quotient of the derived series, from the
  /// group down (none: trivial); absent when the group is not solvable.
  std::optional<std::vector<std::vector<std::uint32_t>>> steps;
};
GroupSummary summarise(const PermutationGroup& group);
/// "trivial", "order 24: Z2, Z3, Z2 x Z2", "order 60, not solvable".
std::string format_group(const GroupSummary& group);

/// A class of image sets.
struct ClassSummary {
  std::size_t height = 0;
  std::vector<State> representative;
  std::size_t members = 0;
  std::vector<std::vector<State>> tiles;  ///< of the representative
  GroupSummary group;                     ///< of the tiles
};
/// The classes of sets of several states, the greatest height first. Errors: SizeLimit.
std::vector<ClassSummary> summarise(const Holonomy& holonomy);

struct LevelSummary {
  std::size_t height = 0;
  std::vector<std::string> coordinates;
  std::size_t contexts = 0;
  std::size_t resets = 0;        ///< different ones among the maps
  std::size_t permutations = 0;  ///< the same; without the identity
  std::size_t other_maps = 0;    ///< none by holonomy; a merged level has some
  GroupSummary group;            ///< that the permutations generate
};
/// From the first level down. Errors: SizeLimit.
std::vector<LevelSummary> summarise(const Cascade& cascade);
/// A line for each level: "level 1: 3 coordinates {0,1} {0,2} {1,2}, 3 resets, 2 permutations of a
/// group of order 6: Z2, Z3, 1 context". Of many coordinates the first are named.
std::string format_levels(const std::vector<LevelSummary>& levels);

}  // namespace logdepth::inline objects
