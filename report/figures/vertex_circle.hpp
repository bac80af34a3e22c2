#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

struct CircleVertex {
  std::string name;
  std::string mark = {};                          ///< a character or two inside
  std::string fill = "#FFFFFF", ink = "#000000";  ///< of the inside; of mark and edge
  bool ringed = false;                            ///< a second circle around it
  std::string key = {};                           ///< of vertex and name (strip_picture.hpp)
};

/// An arrow between two vertices, or from one to itself.
struct CircleArrow {
  std::size_t from = 0, to = 0;
  std::string colour;
  double width = 1, opacity = 1;
  std::string key = {};
};

/// Vertices clockwise on a circle, the first on the left, with their names outside. Arrows bend, so
/// that there and back are two.
struct VertexCircle {
  std::vector<CircleVertex> vertices;
  std::vector<CircleArrow> arrows;  ///< in this order, vertices above them
};

/// Width and height of the box that it needs.
PlotPoint circle_size(const VertexCircle& circle);
std::string circle_elements(const VertexCircle& circle, PlotPoint corner);

}  // namespace logdepth::inline report_figures
