#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "constructions/own_position.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"
#include "objects/cascade.hpp"

namespace logdepth::inline constructions_KR65 {

/// What the construction compiles: an automaton as a chain of levels.
struct CascadeTask {
  Cascade cascade;
  Alphabet alphabet;
  std::vector<bool> accepting;           ///< per state
  std::vector<Transformation> products;  ///< per state, where states are products of letters
  /// The level that is scanned: those from the first to the last whose group is not solvable, or too
  /// large to be listed (kLargestLevelGroup), put together. Absent where there are none.
  std::optional<std::size_t> scanned;
};

/// Largest cyclic factor of a level's group: a head for each residue.
inline constexpr std::uint32_t kLargestModulus = 512;

struct CascadeOptions {
  ScanPositions positions = ScanPositions::first_flag;
  ScanTable table = ScanTable::automatic;  ///< of the level that is scanned
};

}  // namespace logdepth::inline constructions_KR65
