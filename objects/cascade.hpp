#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "objects/automaton.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth { inline namespace objects {

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

/// What a letter does to a level.
enum class LevelChange { kept, permuted, reset, mapped };  // mapped: of merged levels only
LevelChange change_of(const Transformation& map);
/// "kept", "permuted", "reset", "mapped".
std::string change_text(LevelChange change);

/// A level while one letter is read.
struct LevelStep {
  std::uint32_t map = 0;  ///< among its maps
  LevelChange change = LevelChange::kept;
  /// Levels above, from 0: what the letter does is the same wherever these are as they are, and no
  /// fewer of them would tell.
  std::vector<std::size_t> decided_by;
};

/// After a prefix.
struct CascadeMoment {
  std::vector<LevelStep> steps;  ///< of the last letter, per level; none of the empty prefix
  std::vector<std::uint32_t> coordinates;  ///< per level
  std::vector<std::vector<State>> states;  ///< that the coordinates down to each level leave
  State state = 0;
};

/// A word through a cascade: what happens at each level, after every prefix from the empty one.
std::vector<CascadeMoment> run_cascade(const Cascade& cascade, const Word& word);

}}  // namespace logdepth::objects
