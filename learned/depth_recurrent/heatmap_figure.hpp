#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learned/report/frontier.hpp"
#include "report/picture.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// A heatmap of accuracies as it is to be drawn.
struct HeatmapPanel {
  std::string title;
  AccuracyHeatmap heatmap;
  double threshold = 0.95;  ///< of the frontier that is drawn
  std::string rows = "hops from source to target";
  std::string unit = "hops";  ///< of difficulties
  std::string columns = "iterations T";
  double chance = 0.5;                       ///< accuracy of a coin: the lightest colour
  std::string subtitle = {};                 ///< under the title
  std::optional<TrainedRange> trained = {};  ///< outlined, as far as it was measured
};

/// Adds heatmaps beside each other and what their lines mean: a row for each difficulty, a column for
/// each number of loops, the accuracy as number and colour, a box around what was trained on, the
/// line below which the difficulty exceeds T, and the measured frontier.
void add_heatmaps(report::Picture& picture, const std::vector<HeatmapPanel>& panels);

}  // namespace logdepth::inline learned_depth_recurrent
