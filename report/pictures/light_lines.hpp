#pragma once

#include "report/figures/token_bands.hpp"

namespace logdepth::inline report_pictures {

/// Adds to the notes why some lines are lighter than others.
void explain_light_lines(TokenBands& bands);

}  // namespace logdepth::inline report_pictures
