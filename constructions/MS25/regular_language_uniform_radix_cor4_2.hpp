#pragma once

#include <cstdint>
#include <string>

#include "compiler/program/program.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth::inline constructions_MS25 {

struct UniformRadixOptions {
  unsigned radix = 2;  ///< k, from 2 to kMaxRadix
  unsigned block = 2;  ///< r, layers of the repeated block, at least 2; k^(r-1) <= kMaxReach
  ScanTable table = ScanTable::automatic;
};

/// Largest factor by which a repeated block may lengthen the intervals.
inline constexpr std::uint32_t kMaxReach = 1u << 20;

/// k^(r-1), the factor of one block. Errors: InputError for a radix or a block outside its range.
std::uint32_t reach_of_a_block(const UniformRadixOptions& options);

/// Units that the two tables need, before anything is built. Errors: as above.
ProductForecast forecast_uniform_radix(const Action& action, const UniformRadixOptions& options);

/// The radix-k multiplication of MS25 Corollary 4.2 in a looped network for all lengths: see the
/// head of the .cpp for statement and invariant. `name` goes into the
/// weights file. Errors: as above; SizeLimit when the chosen table cannot be built, with both
/// figures and what to try.
Program regular_language_uniform_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                                   const UniformRadixOptions& options);

}  // namespace logdepth::inline constructions_MS25
