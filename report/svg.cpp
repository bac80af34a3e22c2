#include <algorithm>
#include <utility>

#include "report/picture.hpp"

namespace logdepth::report {

Drawing drawing(LineChart chart) {
  const double width = chart_width(chart), height = chart_height(chart);
  return {width, height,
          [chart = std::move(chart)](PlotPoint corner) { return draw_chart(chart, corner); }};
}

Drawing drawing(Legend legend) {
  const double width = legend.column_width * static_cast<double>(legend.columns);
  const double height = legend_height(legend);
  return {width, height,
          [legend = std::move(legend)](PlotPoint corner) { return draw_legend(legend, corner); }};
}

Drawing drawing(Heatmap map) {
  const double width = heatmap_width(map), height = heatmap_height(map);
  return {width, height,
          [map = std::move(map)](PlotPoint corner) { return draw_heatmap(map, corner); }};
}

Drawing drawing(HeatmapLegend legend) {
  const double width = heatmap_legend_width(legend);
  return {width, heatmap_legend_height(), [legend = std::move(legend)](PlotPoint corner) {
            return draw_heatmap_legend(legend, corner);
          }};
}

Drawing heading(const std::string& text, double height, double foot) {
  return {0, height, [text, foot](PlotPoint corner) {
            return svg_text(corner.first, corner.second + foot, text,
                            "font-size=\"13\" font-weight=\"bold\"");
          }};
}

std::string picture_svg(const Picture& picture) {
  std::string elements;
  double y = picture.top;
  for (const Strip& strip : picture.strips) {
    double height = 0;
    for (const Placed& placed : strip.parts) {
      elements += placed.part.draw({placed.left, y + placed.down});
      height = std::max(height, placed.down + placed.part.height);
    }
    y += height + strip.below;
  }
  return svg_document(picture.width, y, picture.title, elements);
}

void add_curve(LineChart& chart, const Curve& curve) {
  if (curve.points.empty()) return;
  PlotSeries line{curve.name, curve.style};
  PlotArea band{{}, curve.style.colour, curve.opacity, curve.name + curve.band};
  PlotLine upper;
  bool several = false;
  for (const CurvePoint& point : curve.points) {
    const double number = number_of(point.number);
    const auto [least, most] = ends_of(point.number);
    line.line.emplace_back(point.x, number);
    line.marks.push_back({{point.x, number}, point.title, curve.shape});
    band.corners.emplace_back(point.x, least);
    upper.emplace_back(point.x, most);
    several = several || seeds_of(point.number) > 1;
  }
  band.corners.insert(band.corners.end(), upper.rbegin(), upper.rend());
  if (several) chart.areas.push_back(std::move(band));
  chart.series.push_back(std::move(line));
}

PlotPoint largest(const LineChart& chart, PlotPoint most) {
  const auto reach = [&](const PlotPoint& at) {
    most = {std::max(most.first, at.first), std::max(most.second, at.second)};
  };
  for (const PlotSeries& series : chart.series) {
    for (const PlotMark& mark : series.marks) reach(mark.at);
    std::ranges::for_each(series.line, reach);
  }
  for (const PlotArea& area : chart.areas) std::ranges::for_each(area.corners, reach);
  return most;
}

}  // namespace logdepth::report
