#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace logdepth::inline runtime_columns {

/// The rule that answered all rows of a head.
enum class ColumnRule { uniform, match, angle, projection, scores, classes, planes };

/// How many rows each rule answered.
using ColumnRows = std::array<std::uint64_t, 7>;

/// What column runs did so far.
struct ColumnStatistics {
  std::uint64_t inputs = 0, tokens = 0;       ///< run to the end; tokens of these
  std::uint64_t passes = 0, evaluations = 0;  ///< of these: over the tokens; of maps and units
  std::uint64_t contracts = 0;                ///< of these: rows at which a contract was proved
  std::size_t bytes = 0;                      ///< the most that one of these held
  ColumnRows rows{};                          ///< of these: by ColumnRule
  std::uint64_t handed_over = 0;              ///< inputs
  std::string reason;                         ///< of the latest that was handed over
};

}  // namespace logdepth::inline runtime_columns
