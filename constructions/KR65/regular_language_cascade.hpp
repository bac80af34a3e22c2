#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "constructions/product_cells.hpp"
#include "objects/automaton.hpp"
#include "objects/cascade.hpp"

namespace logdepth { inline namespace constructions_KR65 {

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

/// By holonomy. A word problem is that of the right regular action of its transition monoid, so
/// that the states are the products. Errors: SizeLimit.
CascadeTask cascade_of(const Action& action);

/// The program of the construction: see the head of the .cpp for statement and proof; its code says
/// hypotheses, deviations and cells. `name` goes into the weights file. Errors: SizeLimit with the
/// level whose table is too large.
Program regular_language_cascade_KR65(const CascadeTask& task, const std::string& name,
                                      const CascadeOptions& options = {});

}}  // namespace logdepth::constructions_KR65
