#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/cascade.hpp"

namespace logdepth { inline namespace objects {

/// States as bits: state q is bit q % 64 of word q / 64.
using StateSet = std::vector<std::uint64_t>;
std::vector<State> states_of(const StateSet& set);

/// Limits of a decomposition; what is beyond throws SizeLimit.
inline constexpr std::size_t kMostImageSets = 20000;
inline constexpr std::size_t kMostChains = 100000;  ///< of coordinates, of the levels down to any
inline constexpr std::size_t kMostImageSteps =
    4000000;  ///< letters times sets, letters times chains

/// The holonomy decomposition of a complete automaton (Eilenberg 1976, ch. II.7; Egri-Nagy and
/// Nehaniv 2015). Its *image sets* are the images of the set of all states under words, and the
/// sets of one state. P is below Q when P lies in the image of Q under some word; sets below each
/// other are a class: letters lead from each to each, one to one. The height of one state is 0, of
/// other sets 1 more than the greatest height strictly below. The tiles of a set are the greatest
/// image sets properly inside it. A state is then a chain of sets from all states down to it, each
/// a tile of the one before.
struct Holonomy {
  struct Class {
    std::size_t height = 0;
    std::vector<std::uint32_t> members;  ///< the first represents them
  };
  std::size_t letters = 0;
  State initial = 0;                 ///< state of the automaton
  std::vector<StateSet> sets;        ///< the first is that of all states
  std::vector<std::uint32_t> image;  ///< image[set * letters + letter]
  std::vector<Class> classes;        ///< lower ones first
  std::vector<std::uint32_t> class_of;
  /// The tiles of each set, none of a set of one state. A word from the representative of a class
  /// to the set carries the representative's tiles to them, in this order; so a tile's number is
  /// the same all over the class.
  std::vector<std::vector<std::uint32_t>> tiles;

  std::size_t height(std::uint32_t set) const { return classes[class_of[set]].height; }
  /// Number of a tile of `set`. Precondition: `tile` is one.
  std::uint32_t tile_number(std::uint32_t set, std::uint32_t tile) const;
  /// Number of the first tile of `set` that contains the states of `part`. Precondition: `part` is
  /// an image set properly inside `set`.
  std::uint32_t tile_around(std::uint32_t set, std::uint32_t part) const;
};

/// Errors: SizeLimit.
Holonomy decompose(const Dfa& dfa);

/// A level for each height, from the greatest to 1, whose coordinate is the tile chosen in the set of
/// that height in the chain, or none where the chain meets no set of that height; chains that no word
/// reaches are left out, and with them levels whose coordinate follows from those above (so each
/// level has two coordinates at least). A letter permutes the coordinates where it maps the chosen
/// set onto the next, and else resets the level.
///
/// Coordinates are named "-" for none, and by the tile of the representative, "{0,1}", with " of "
/// and the representative where several classes have that height. A level that is only ever reset
/// does not tell the classes of its height apart, for the context does: fewer coordinates, named
/// "tile 0", "tile 1", ... where there are several classes. A level with a group does: permutations
/// of different classes taken together could generate a larger group.
/// Errors: SizeLimit, naming the level.
Cascade to_cascade(const Holonomy& holonomy);

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

}}  // namespace logdepth::objects
