#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "constructions/product_forecast.hpp"
#include "objects/action.hpp"

namespace logdepth::inline constructions_MS25 {

struct TreeOptions {
  ScanTable table = ScanTable::automatic;
};

/// Units that the two tables need, before anything is built.
ProductForecast forecast_tree(const Action& action, const TreeOptions& options = {});

/// The binary tree of MS25 Theorem 4.1, repaired: see the head of the .cpp for statement,
/// invariant, hypotheses, deviations and cells. No beginning token, an end token, positions from the
/// first-flag. `name` goes into the weights file. Errors: SizeLimit when the chosen table cannot be
/// built, with both figures and what to try.
Program regular_language_tree_MS25_thm4_1(const Action& action, const std::string& name,
                                          const TreeOptions& options = {});

}  // namespace logdepth::inline constructions_MS25
