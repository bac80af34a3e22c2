#pragma once

#include "library/exports/network.hpp"

namespace logdepth::exports {

/// Temperature and tolerance of every head. Errors: ExportRefused where the proved separations give
/// no temperature, naming the head; InputError for one that is no number above 0, or
/// so high that scores are no numbers of the format any more.
void choose_weighing(Network& network, const ExportSettings& settings);

}  // namespace logdepth::exports
