#include "learned/depth_recurrent/heatmap_figure.hpp"

#include <algorithm>
#include <cstdint>

#include "figures/heatmap.hpp"
#include "objects/number_text.hpp"

namespace logdepth {
namespace {

constexpr double kMargin = 20, kGap = 24;
constexpr const char* kFrontierStyle = "stroke=\"#111111\" stroke-width=\"3.5\"";
constexpr const char* kDiagonalStyle =
    "stroke=\"#E08A00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"";

std::vector<std::string> numbers(const std::vector<std::uint32_t>& values) {
  std::vector<std::string> texts;
  for (const std::uint32_t value : values) texts.push_back(std::to_string(value));
  return texts;
}

/// In each column the rows up to `last` of that column.
HeatmapBorder border(const AccuracyHeatmap& map, const std::vector<std::uint32_t>& last,
                     const char* style, const std::string& meaning) {
  HeatmapBorder border{style, meaning, {}};
  for (const std::uint32_t difficulty : last)
    border.above.push_back(static_cast<std::size_t>(
        std::ranges::upper_bound(map.difficulties, difficulty) - map.difficulties.begin()));
  return border;
}

Heatmap drawn(const HeatmapPanel& panel) {
  const AccuracyHeatmap& map = panel.heatmap;
  Heatmap heatmap;
  heatmap.title = panel.title;
  heatmap.subtitle = panel.subtitle;
  heatmap.row_name = panel.rows;
  heatmap.column_name = panel.columns;
  heatmap.rows = numbers(map.difficulties);
  heatmap.columns = numbers(map.loops);
  heatmap.values = map.accuracy;
  heatmap.lightest = panel.chance;
  // The dashes lie on top, so that both lines are seen where they are one.
  heatmap.borders = {
      border(map, frontier(map, panel.threshold), kFrontierStyle,
             "frontier: at least " + fixed_text(panel.threshold, 2) + " in all rows above"),
      border(map, map.loops, kDiagonalStyle, "T = hops")};
  return heatmap;
}

}  // namespace

std::string heatmap_rows_svg(const std::vector<std::vector<HeatmapPanel>>& rows) {
  std::string body;
  double width = 0, top = kMargin;
  HeatmapLegend legend{"accuracy", "", "1", {}};
  for (const std::vector<HeatmapPanel>& row : rows) {
    double left = kMargin, height = 0;
    for (const HeatmapPanel& panel : row) {
      const Heatmap map = drawn(panel);
      if (legend.borders.empty()) {
        legend.borders = map.borders;
        legend.lightest = fixed_text(panel.chance, 2) + " (chance) or less";
      }
      body += draw_heatmap(map, {left, top});
      left += heatmap_width(map) + kGap;
      height = std::max(height, heatmap_height(map));
    }
    width = std::max(width, left - kGap + kMargin);
    top += height;
  }
  if (!legend.borders.empty()) body += draw_heatmap_legend(legend, {kMargin, top});
  return svg_document(std::max(width, 2 * kMargin + heatmap_legend_width(legend)),
                      top + heatmap_legend_height(), "Accuracy by difficulty and number of loops",
                      body);
}

std::string heatmap_svg(const HeatmapPanel& panel) {
  return heatmap_rows_svg({{panel}});
}

std::string heatmap_pair_svg(const HeatmapPanel& ours, const HeatmapPanel& published) {
  return heatmap_rows_svg({{ours, published}});
}

}  // namespace logdepth
