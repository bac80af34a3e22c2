#pragma once

#include <string>
#include <vector>

#include "learned/latent_reasoning/latent_runs.hpp"

namespace logdepth {

/// SVG of all sections, below each other: fully solved against N, the trained sizes shaded; against
/// depth; iterations against depth beside the line of equal numbers; recovery against N. A line for
/// each series, in one colour for each row, over the band from the least to the most of its seeds.
/// The same sections give the same bytes.
std::string latent_figure_svg(const std::vector<LatentSection>& sections);

}  // namespace logdepth
