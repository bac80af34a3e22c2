#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth::inline constructions_MS25 {

inline constexpr unsigned kMaxRadix = 64;

struct RadixOptions {
  unsigned radix = 2;            ///< k, from 2 to kMaxRadix
  std::uint64_t max_length = 0;  ///< T, the promised number of letters, below 2^32
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
};

/// The option --radix of both constructions that have one.
Option radix_option();

/// Per product layer, the shifts of its heads: c k^l for c = 1..k-1 as far as they are below T.
/// ceil(log_k T) layers, none for T <= 1.
std::vector<std::vector<std::uint32_t>> radix_shifts(const RadixOptions& options);

/// Units that the two tables need, all layers together, before anything is built.
/// Errors: InputError for a radix, SizeLimit for a length outside its range.
ProductForecast forecast_radix(const Action& action, const RadixOptions& options);

/// The program of the construction: see the head of the .cpp for statement and invariant; its code
/// says hypotheses, deviations and cells. `name` goes into the weights file. Errors: as above; SizeLimit when the
/// chosen table cannot be built, with both figures and what to try.
Program regular_language_radix_MS25_cor4_2(const Action& action, const std::string& name,
                                           const RadixOptions& options);

}  // namespace logdepth::inline constructions_MS25
