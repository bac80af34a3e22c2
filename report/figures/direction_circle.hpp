#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

/// Directions of a plane, neither to the left nor downwards, and which of them is the nearest to one
/// more: a quarter of a circle with a ray for each.
struct DirectionCircle {
  struct Direction {
    double x = 1, y = 0;  ///< of any positive length
    std::string name = {};
  };
  std::vector<Direction> directions;
  std::size_t nearest = 0;
  Direction asked;
  std::string colour;
  std::string meaning;  ///< above it
};

/// With the room for names.
double direction_circle_width(const DirectionCircle& circle, double radius);
std::string direction_circle_elements(const DirectionCircle& circle, PlotPoint centre,
                                      double radius);

}  // namespace logdepth::inline report_figures
