#include "learned/depth_recurrent/heatmap_figure.hpp"

#include <algorithm>
#include <cstdint>

#include "base/number_text.hpp"
#include "report/figures/heatmap.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

constexpr double kMargin = 20, kGap = 24;
constexpr const char* kFrontierStyle = "stroke=\"#111111\" stroke-width=\"3.5\"";
constexpr const char* kDiagonalStyle =
    "stroke=\"#E08A00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"";
constexpr const char* kTrainedStyle = "stroke=\"#E8336D\" stroke-width=\"3\"";

std::vector<std::string> numbers(const std::vector<std::uint32_t>& values) {
  std::vector<std::string> texts;
  for (const std::uint32_t value : values) texts.push_back(std::to_string(value));
  return texts;
}

/// How many of the growing values are at most `last`.
std::size_t count_up_to(const std::vector<std::uint32_t>& values, std::uint32_t last) {
  return static_cast<std::size_t>(std::ranges::upper_bound(values, last) - values.begin());
}

/// In each column the rows up to `last` of that column.
HeatmapBorder border(const AccuracyHeatmap& map, const std::vector<std::uint32_t>& last,
                     const char* style) {
  HeatmapBorder border{style, {}};
  for (const std::uint32_t difficulty : last)
    border.above.push_back(count_up_to(map.difficulties, difficulty));
  return border;
}

HeatmapFrame frame(const AccuracyHeatmap& map, const TrainedRange& trained) {
  const std::size_t row = count_up_to(map.difficulties, trained.easiest - 1);
  const std::size_t column = count_up_to(map.loops, trained.least - 1);
  return {kTrainedStyle, row, count_up_to(map.difficulties, trained.hardest) - row, column,
          count_up_to(map.loops, trained.most) - column};
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
  if (panel.trained) heatmap.frames = {frame(map, *panel.trained)};
  // The dashes lie on top, so that both lines are seen where they are one.
  heatmap.borders = {border(map, frontier(map, panel.threshold), kFrontierStyle),
                     border(map, map.loops, kDiagonalStyle)};
  return heatmap;
}

HeatmapLegend legend_of(const HeatmapPanel& panel) {
  HeatmapLegend legend{"accuracy", fixed_text(panel.chance, 2) + " (chance) or less", "1", {}};
  legend.lines = {{kFrontierStyle, "all rows above reach " + fixed_text(panel.threshold, 2)},
                  {kDiagonalStyle, "T = " + panel.unit},
                  {kTrainedStyle, "trained on"}};
  return legend;
}

}  // namespace

void add_heatmaps(report::Picture& picture, const std::vector<HeatmapPanel>& panels) {
  report::Strip& strip = picture.strips.emplace_back();
  double left = kMargin;
  for (const HeatmapPanel& panel : panels) {
    strip.parts.push_back({report::drawing(drawn(panel)), left});
    left += strip.parts.back().part.width + kGap;
  }
  const report::Drawing legend = report::drawing(legend_of(panels.front()));
  picture.width = std::max({picture.width, left - kGap + kMargin, legend.width + 2 * kMargin});
  picture.strips.push_back({{{legend, kMargin}}});
}

}  // namespace logdepth::inline learned_depth_recurrent
