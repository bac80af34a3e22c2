#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {

struct Tick {
  double at = 0;
  std::string text;
};

/// A stretch of numbers as one side of a plot shows it.
struct Axis {
  double from = 0, to = 1;  ///< from < to
  std::vector<Tick> ticks;  ///< ascending, within the stretch
  std::string name;

  /// 0 where the axis begins, 1 where it ends.
  double share(double value) const { return (value - from) / (to - from); }
};

/// From 0 to the first tick beyond `highest`. Ticks are 1, 2, 5, 10, 20, ... apart, the least of
/// them of which `most_steps` reach as far as `highest`. Precondition: highest >= 0.
Axis counting_axis(double highest, const std::string& name, double most_steps = 6);
/// Logarithms to the base 2 from `lowest` to `highest`, both rounded outwards to whole numbers and
/// at least 1 apart; ticks, at most twelve, read 1, 2, 4, 8, ...
Axis doubling_axis(double lowest, double highest, const std::string& name);
/// From 0 to 1, a tick at every fifth.
Axis share_axis(const std::string& name);

enum class MarkShape {
  none,
  dot,  ///< filled
  ring  ///< hollow
};

struct PlotMark {
  PlotPoint at;
  std::string title;  ///< for a reader who points at it
  MarkShape shape = MarkShape::dot;
};

/// What dots and rings are, so that series are told apart without colours.
enum class Symbol { circle, square, triangle, diamond };
inline constexpr std::array kSymbols = {Symbol::circle, Symbol::square, Symbol::triangle,
                                        Symbol::diamond};

/// How a series looks, in the plot and in its legend.
struct SeriesStyle {
  std::string colour;
  std::string dash = {};  ///< as SVG writes it; empty: a solid line
  double width = 1.6;
  Symbol symbol = Symbol::circle;
};

/// Hands out looks to the series of a figure, none twice.
class SeriesLooks {
 public:
  /// As wanted; with more to the dash where the colour has it already, and another symbol where it has
  /// that; from the fifth of a colour on in another shade.
  SeriesStyle next(const SeriesStyle& wanted);

 private:
  std::set<std::pair<std::string, std::string>> dashes_;  ///< of colours
  std::set<std::pair<std::string, Symbol>> symbols_;      ///< likewise
};

struct PlotSeries {
  std::string name;
  SeriesStyle style;
  PlotLine line = {};                ///< corners; empty: no line
  std::vector<PlotMark> marks = {};  ///< drawn above the lines of all series
};

/// A coloured stretch of the plot, as between the least and the most of several seeds.
struct PlotArea {
  PlotLine corners;  ///< within the axes
  std::string colour;
  double opacity = 0.15;
  std::string title = {};  ///< for a reader who points at it
};

/// Lines and marks over two axes. Lines are cut at the edges of the plot.
struct LineChart {
  std::string title;
  Axis x, y;
  std::vector<PlotArea> areas = {};  ///< drawn below everything else
  std::vector<PlotSeries> series = {};
  double width = 350, height = 250;  ///< of the plot inside the axes
};
/// With the room for the title and what stands at the axes.
double chart_width(const LineChart& chart);
double chart_height(const LineChart& chart);
/// The elements of the chart, its upper left corner at this place. Precondition: no two series look
/// alike, in colour, dash (of lines) and symbol with shape (of marks) together.
std::string draw_chart(const LineChart& chart, PlotPoint corner);

/// Names below each other, each beside the line of its series, if it has one, and the shape of its first
/// mark.
double legend_height(const std::vector<PlotSeries>& series);
/// Precondition: no two series look alike.
std::string draw_legend(const std::vector<PlotSeries>& series, PlotPoint corner);

/// The slope a of y = a x + b by ordinary least squares. Absent for fewer than two different x.
std::optional<double> least_squares_slope(const PlotLine& points);

}}  // namespace logdepth::report_figures
