#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "constructions/own_position.hpp"
#include "constructions/product_cells.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth::inline constructions_MS25 {

struct ScanOptions {
  ScanPositions positions = ScanPositions::two_circle;
  ScanTable table = ScanTable::automatic;
};

/// Units that the two tables need, before anything is built.
ProductForecast forecast_scan(const Action& action, const ScanOptions& options);

/// The cells of the loop: see the invariant in the .cpp.
struct ScanCells {
  cells::Pointer E, sE;  ///< where the interval before begins; that of the fetched token
  cells::Product d, sd;  ///< product of the token's interval; of the fetched one
};
ScanCells declare_scan(cells::Program& program, const OwnPosition& position,
                       const ProductCells& products);
/// E before the first loop, and the own position where it has to be computed.
cells::Statements begin_scan(cells::Program& program, const OwnPosition& position,
                             const ScanCells& scan);
/// The repeated block.
cells::Statements scan_step(const OwnPosition& position, const ScanCells& scan,
                            const ProductCells& products);

/// The program of the construction: see the head of the .cpp for statement and invariant; its code
/// says hypotheses, deviations and cells. `name` goes into the weights file. Errors: SizeLimit when the chosen table
/// cannot be built, with both figures and what to try.
Program regular_language_scan_MS25_thm4_1(const Action& action, const std::string& name,
                                          const ScanOptions& options = {});

}  // namespace logdepth::inline constructions_MS25
