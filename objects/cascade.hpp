#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "objects/action.hpp"
#include "objects/permutation_group.hpp"

namespace logdepth::inline objects {

/// One level of a cascade: it knows the letter and its *context*, the coordinates of the levels
/// above before the letter, and answers with a map of its own coordinates. By holonomy every such
/// map is a permutation or constant (a reset).
struct CascadeLevel {
  std::size_t height = 0;                ///< of the image sets that it refines
  std::vector<std::string> coordinates;  ///< names, for people
  std::uint32_t initial = 0;             ///< coordinate before the first letter
  std::size_t contexts = 1;              ///< chains of coordinates above that occur; the first: 0
  std::vector<Transformation> maps;      ///< different maps of the coordinates, the identity first
  /// action[letter][context]: index of the map.
  std::vector<std::vector<std::uint32_t>> action;
  /// next[context][coordinate]: the context of the level below (of the last level: the chain), or
  /// kNoContext where no word leads there.
  std::vector<std::vector<std::uint32_t>> next;
};
inline constexpr std::uint32_t kNoContext = UINT32_MAX;
/// True for a map with one image of at least two points.
bool is_reset(const Transformation& map);

/// A complete automaton as a chain of levels, the first of which sees letters only. Reading a word,
/// all levels change at once, each by the map that the letter and its context *before* the letter
/// say.
struct Cascade {
  std::size_t letters = 0;
  std::vector<CascadeLevel> levels;  ///< none for an automaton of one state
  std::vector<State> state;          ///< of each chain (with no levels: of the empty one)
};

/// The coordinate of each level after a word.
std::vector<std::uint32_t> coordinates_after(const Cascade& cascade, const Word& word);
/// The state of the chain that these coordinates are.
State state_of(const Cascade& cascade, const std::vector<std::uint32_t>& coordinates);

/// The largest group of a level that is listed.
inline constexpr std::size_t kLargestLevelGroup = 5040;
/// The group that the permutations among the maps of a level generate; levels count from 0. Errors:
/// SizeLimit, naming the level from 1, beyond kLargestLevelGroup elements.
PermutationGroup level_group(const Cascade& cascade, std::size_t level);

/// The same automaton with the levels first..last (both included) as one. Its coordinates are the
/// tuples of theirs that occur in some context, and its maps are any maps. What a map does to tuples
/// that do not occur in its context is open: maps that agree where both are needed are one, the
/// identity being tried first; what stays open then is sent along with the others by a constant map
/// and left alone by any other.
Cascade merged(const Cascade& cascade, std::size_t first, std::size_t last);

}  // namespace logdepth::inline objects
