#pragma once

#include <vector>

#include "learned/report/depth_table.hpp"

namespace logdepth::inline learned_report {

/// Layers over log2 of the size: one picture for each problem that has something learned or
/// published; of all of them where no runs were read. Points are seeds, hollow where censored,
/// hollow with an arrow where they had not plateaued; the law of the best seed is solid, with
/// the band of its interval, that of the median seed dashed. Our lines end with the depths they were
/// fitted to, the published one with its range; claims are cut where the rest ends. Seeds that reach
/// less than 1 have no place on the axis. Before them, where runs were read and something is
/// published, front_picture.
std::vector<DepthFigure> depth_figures(const DepthTable& table);

}  // namespace logdepth::inline learned_report
