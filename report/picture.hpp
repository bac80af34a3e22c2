#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/data.hpp"
#include "report/figures/heatmap.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth::report {

/// A part of a picture, its upper left corner at a place.
struct Drawing {
  double width = 0, height = 0;
  std::function<std::string(PlotPoint corner)> draw;
};
Drawing drawing(LineChart chart);
Drawing drawing(Legend legend);
Drawing drawing(Heatmap map);
Drawing drawing(HeatmapLegend legend);
/// A line of text in bold, its foot so far below the corner.
Drawing heading(const std::string& text, double height, double foot);

struct Placed {
  Drawing part;
  double left = 0, down = 0;  ///< from the left edge of the picture, the top of the strip
};
/// Parts beside each other. The next strip begins so far below the lowest of them.
struct Strip {
  std::vector<Placed> parts;
  double below = 0;
};

/// Strips below each other, in a file of its own.
struct Picture {
  std::string file, title;
  double width = 0, top = 0;
  std::vector<Strip> strips = {};
};
std::string picture_svg(const Picture& picture);

/// A number at a place, as a curve shows it.
struct CurvePoint {
  double x = 0;
  Data number;        ///< a number, a RANGE or a MEAN
  std::string title;  ///< for a reader who points at it
};
struct Curve {
  std::string name;
  SeriesStyle style;
  std::vector<CurvePoint> points;
  MarkShape shape = MarkShape::dot;
  std::string band = ": all seeds";  ///< what is behind the curve, after its name
  double opacity = 0.15;             ///< of the band
};
/// Line and marks; behind them the band between the ends of the numbers, where one is of several
/// seeds. Nothing without points.
void add_curve(LineChart& chart, const Curve& curve);
/// The largest x and y of curves, bands included; at least these.
PlotPoint largest(const LineChart& chart, PlotPoint least = {0, 0});

}  // namespace logdepth::report
