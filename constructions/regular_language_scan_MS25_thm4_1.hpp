#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "compiler/program.hpp"
#include "objects/action.hpp"

namespace logdepth {

enum class ScanPositions { two_circle, circle, first_flag };
enum class ScanTable { automatic, matrix, monoid };

struct ScanOptions {
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
};

/// Largest number of feed-forward units that is compiled; about 100 bytes of weights file each.
inline constexpr std::size_t kMaxScanUnits = 1000000;
/// Largest transition monoid that is enumerated.
inline constexpr std::size_t kMaxMonoid = 20000;

/// Units that the two tables need, before anything is built.
struct ScanForecast {
  std::size_t matrix_units = 0;
  std::optional<std::size_t> monoid_size;   ///< absent: more than `monoid_cap` elements
  std::optional<std::size_t> monoid_units;  ///< absent with monoid_size
  std::size_t monoid_cap = 0;
  ScanTable chosen = ScanTable::matrix;
  std::string reason;  ///< one sentence with both figures
};

/// Errors: SizeLimit when the chosen table exceeds kMaxScanUnits, with both figures and what to
/// try.
ScanForecast forecast_scan(const Action& action, const ScanOptions& options);

/// The program of the construction: see the head of the .cpp for statement, hypotheses, deviations
/// and the cell table. `name` goes into the weights file. Errors: SizeLimit as above.
Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options = {});

}  // namespace logdepth
