#pragma once

#include <vector>

#include "learned/report/depth_table.hpp"

namespace logdepth {

/// Layers over the size, both on logarithmic axes: one picture for each problem that has something learned
/// or published; of all of them where no runs were read. Points are seeds, hollow where censored,
/// hollow with an arrow where training had not settled them; the law of the best seed is solid, with
/// the band of its interval, that of the median seed dashed. Our lines end with the depths they were
/// fitted to, the published one with its range. Seeds that reach less than 1 have no place on the
/// axis. Before them, where runs were read and something is published, one picture of all problems
/// that the same constructions solve at the same depths, with a line in its legend for each thing.
std::vector<DepthFigure> depth_figures(const DepthTable& table);

}  // namespace logdepth
