#pragma once

#include "learned/depth_recurrent/run_series.hpp"
#include "report/picture.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// The picture of a series: its base's heatmap beside the published one, the frontier of both with
/// the fitted lines, what too many loops cost, and the gate's share and the change of the state
/// loop by loop, of the base and of the runs with another gate.
report::Picture series_picture(const RecurrentSeries& series);

}  // namespace logdepth::inline learned_depth_recurrent
