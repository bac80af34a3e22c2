#pragma once

#include <string>

#include "learned/report/depth_table.hpp"

namespace logdepth {

/// Layers over log2 of the size, one panel per problem, and one more for what was learned where
/// there are trained networks. Points are seeds, hollow where censored; our lines end with the
/// depths they were fitted to, the published one with its range. Seeds that reach less than 1 have
/// no place on the axis.
std::string depth_figure_svg(const DepthTable& table);

}  // namespace logdepth
