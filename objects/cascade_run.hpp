#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "objects/cascade.hpp"

namespace logdepth::inline objects {

/// What a letter does to a level.
enum class LevelChange { kept, permuted, reset, mapped };  // mapped: of merged levels only
LevelChange change_of(const Transformation& map);
/// "kept", "permuted", "reset", "mapped".
std::string change_text(LevelChange change);
/// A permutation in cycles, the points that it fixes left out: "(0 1)(2 3)"; "id".
std::string cycles_text(const Transformation& permutation);

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

}  // namespace logdepth::inline objects
