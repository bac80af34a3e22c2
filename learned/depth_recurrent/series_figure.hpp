#pragma once

#include <string>

#include "learned/depth_recurrent/run_series.hpp"

namespace logdepth {

/// The picture of a series: its base's heatmap beside the published one, the frontier of both with
/// the fitted lines, what too many loops cost, and the gate's share and the change of the state
/// loop by loop, of the base and of the runs with another gate. The same series gives the same
/// bytes.
std::string series_svg(const RecurrentSeries& series);

}  // namespace logdepth
