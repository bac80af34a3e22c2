#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

/// A stretch of the walk from one of its places to another.
struct WalkArc {
  std::size_t from = 0, to = 0;
  std::size_t level = 0;  ///< how high it stands; 0: a line between the two
  std::string label = {};
  std::string colour;
  std::string key = {};  ///< strip_picture.hpp
};

/// The vertices of a walk in a row, and over them what it was put together from.
struct WalkArcs {
  std::vector<std::string> names;
  std::vector<WalkArc> arcs;
};

PlotPoint walk_arcs_size(const WalkArcs& walk);
std::string walk_arcs_elements(const WalkArcs& walk, PlotPoint corner);

}  // namespace logdepth::inline report_figures
