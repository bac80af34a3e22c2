#pragma once

#include <optional>
#include <string>

#include "library/exports/network.hpp"

namespace logdepth::exports {

/// Temperature and tolerance of every head. Returns why the proved separations give no temperature,
/// with the head, where one is to follow from them. Errors: InputError for a temperature that is no
/// number above 0 or above highest_temperature.
std::optional<std::string> choose_weighing(Network& network, const ExportSettings& settings);

/// Above it a temperature may make a score, a difference of two, or a query of TransformerLens, which
/// has twice the temperature, no finite number of the format.
double highest_temperature(const Network& network);

}  // namespace logdepth::exports
