#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "constructions/construction.hpp"
#include "objects/action.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline constructions {

/// How products of letters are multiplied: as 0/1 matrices of the points, or by the multiplication
/// table of the transition monoid.
enum class ScanTable { automatic, matrix, monoid };

/// The option --table.
Option table_option();
ScanTable table_of(const Values& values);

/// Largest number of feed-forward units that is compiled; about 100 bytes of weights file each.
inline constexpr std::size_t kMaxScanUnits = 1000000;
/// Largest transition monoid that is enumerated.
inline constexpr std::size_t kMaxMonoid = 20000;

/// What a construction wants to multiply.
struct ProductDemand {
  ScanTable table = ScanTable::automatic;
  /// Number of factors of a product -> number of different layers that multiply so many.
  std::map<std::size_t, std::size_t> layers;
  std::size_t tables = 1;  ///< how often each of these layers holds the table
  /// Units of each of these layers, per component of a product, beside those that clear factors.
  std::size_t component_units = 0;
  std::size_t other_units = 0;  ///< feed-forward units beside the tables
  std::string advice;           ///< what else makes a network smaller
};

/// The sizes of both tables before anything is built, and what was found out on the way.
struct ProductForecast {
  /// A matrix row needs the columns of images[q] only, and none when there is a single one. Empty
  /// where they alone are too many for a matrix.
  ReachablePoints images;
  std::shared_ptr<const TransitionMonoid> monoid;  ///< null: more than `monoid_cap` elements
  std::size_t monoid_cap = 0;

  std::size_t matrix_units = 0;             ///< of all layers together
  std::optional<std::size_t> monoid_units;  ///< absent with `monoid`
  ScanTable chosen = ScanTable::matrix;     ///< matrix or monoid
  std::size_t units() const {               ///< of the chosen table, where it can be enumerated
    return chosen == ScanTable::monoid ? monoid_units.value_or(matrix_units) : matrix_units;
  }
  std::string reason;  ///< one sentence with both figures
  /// Why the chosen table cannot be built, with both figures and what to try; absent if it can.
  std::optional<std::string> refusal;
};

ProductForecast forecast_products(const Action& action, const ProductDemand& demand);

}  // namespace logdepth::inline constructions
