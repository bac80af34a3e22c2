#pragma once

#include <string>
#include <vector>

#include "learned/report/frontier.hpp"

namespace logdepth {

/// A heatmap of accuracies as it is to be drawn.
struct HeatmapPanel {
  std::string title;
  AccuracyHeatmap heatmap;
  double threshold = 0.95;  ///< of the frontier that is drawn
  std::string rows = "hops from source to target";
  std::string columns = "loops T";
  double chance = 0.5;        ///< accuracy of a coin: the lightest colour
  std::string subtitle = {};  ///< under the title
};

/// SVG of one heatmap: a row for each difficulty, a column for each number of loops, the accuracy
/// as number and colour, the line below which the difficulty exceeds T, and the measured frontier.
/// The same panel gives the same bytes.
std::string heatmap_svg(const HeatmapPanel& panel);
/// The same of two heatmaps beside each other.
std::string heatmap_pair_svg(const HeatmapPanel& ours, const HeatmapPanel& published);
/// The same of several rows of heatmaps.
std::string heatmap_rows_svg(const std::vector<std::vector<HeatmapPanel>>& rows);

}  // namespace logdepth
