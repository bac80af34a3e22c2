#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth::inline report_figures {

/// A line through a heatmap from left to right, under the first `above[column]` rows of a column.
struct HeatmapBorder {
  std::string style;  ///< attributes of the line
  std::vector<std::size_t> above;
};

/// A box around some cells: their first row and column, and how many there are of both.
struct HeatmapFrame {
  std::string style;  ///< attributes of the line
  std::size_t row = 0, rows = 0, column = 0, columns = 0;
};

/// Numbers in rows and columns, each as text and as the colour of its cell.
struct Heatmap {
  std::string title, subtitle;
  std::string row_name, column_name;       ///< what rows and columns are
  std::vector<std::string> rows, columns;  ///< what stands at each
  std::vector<std::vector<double>> values;
  double lightest = 0, darkest = 1;  ///< values at which the colours end
  std::vector<HeatmapFrame> frames;
  std::vector<HeatmapBorder> borders;  ///< above the frames, later ones above earlier ones
};
double heatmap_width(const Heatmap& map);
double heatmap_height(const Heatmap& map);
/// The elements of the heatmap, its upper left corner at this place.
std::string draw_heatmap(const Heatmap& map, PlotPoint corner);

/// A line of a heatmap and what it means.
struct HeatmapLine {
  std::string style, meaning;
};
/// The colours with what their ends mean, and the lines with their meaning.
struct HeatmapLegend {
  std::string name, lightest, darkest;
  std::vector<HeatmapLine> lines;
};
double heatmap_legend_width(const HeatmapLegend& legend);
double heatmap_legend_height();
std::string draw_heatmap_legend(const HeatmapLegend& legend, PlotPoint corner);

}  // namespace logdepth::inline report_figures
