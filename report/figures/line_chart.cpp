#include "report/figures/line_chart.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "base/phrases.hpp"
#include "report/figures/svg_elements.hpp"

namespace logdepth { inline namespace report_figures {
namespace {

constexpr double kMostDoublings = 11;

/// The least of 1, 2, 5, 10, 20, ... of which `most` reach as far as `length`.
double step_of(double length, double most) {
  for (double decade = 1;; decade *= 10)
    for (const double step : {decade, 2 * decade, 5 * decade})
      if (length <= most * step) return step;
}

}  // namespace

Axis counting_axis(double highest, const std::string& name, double most_steps) {
  const double step = step_of(highest, most_steps);
  Axis axis{0, (std::floor(highest / step) + 1) * step, {}, name};
  for (double at = 0; at <= axis.to; at += step) axis.ticks.push_back({at, fixed_text(at, 0)});
  return axis;
}

Axis share_axis(const std::string& name) {
  Axis axis{0, 1, {}, name};
  for (int fifth = 0; fifth <= 5; ++fifth)
    axis.ticks.push_back({fifth / 5.0, fixed_text(fifth / 5.0, 1)});
  return axis;
}

Axis doubling_axis(double lowest, double highest, const std::string& name) {
  Axis axis{std::floor(lowest), 0, {}, name};
  axis.to = std::max(axis.from + 1, std::ceil(highest));
  const double step = step_of(axis.to - axis.from, kMostDoublings);
  for (double at = axis.from; at <= axis.to; at += step)
    axis.ticks.push_back({at, fixed_text(std::exp2(at), 0)});
  return axis;
}

namespace {

// Room beside the plot: the numbers of the axes and their names.
constexpr double kLeft = 52, kRight = 26, kTop = 34, kUnder = 44;
constexpr double kDot = 3.6;
constexpr double kLegendLine = 18, kLegendStroke = 24;

std::string stroke(const SeriesStyle& style) {
  return svg_attribute("stroke", style.colour) + " " + svg_attribute("stroke-width", style.width) +
         (style.dash.empty() ? "" : " " + svg_attribute("stroke-dasharray", style.dash));
}

/// A circle, or a figure of about its area around the same middle.
std::string symbol_element(PlotPoint at, Symbol symbol, const std::string& attributes,
                           const std::string& title) {
  const auto [x, y] = at;
  constexpr double kSide = 3.3, kWide = 4.6, kPeak = 4.8, kFoot = 3.2;
  switch (symbol) {
    case Symbol::square:
      return svg_rect({x - kSide, y - kSide}, 2 * kSide, 2 * kSide, attributes, title);
    case Symbol::triangle:
      return svg_polygon({{x, y - kPeak}, {x + kWide, y + kFoot}, {x - kWide, y + kFoot}},
                         attributes, title);
    case Symbol::diamond:
      return svg_polygon({{x, y - kPeak}, {x + kPeak, y}, {x, y + kPeak}, {x - kPeak, y}},
                         attributes, title);
    case Symbol::circle:
      break;
  }
  return svg_circle(at, kDot, attributes, title);
}

std::string mark_element(PlotPoint at, MarkShape shape, const SeriesStyle& look,
                         const std::string& title) {
  if (shape == MarkShape::none) return "";
  const bool ring = shape == MarkShape::ring;
  const std::string& colour = look.colour;
  return symbol_element(at, look.symbol,
                        svg_attribute("fill", ring ? "white" : colour) + " " +
                            svg_attribute("stroke", ring ? colour : "white") +
                            " stroke-width=\"1.4\"",
                        title);
}

/// "#RRGGBB" in another shade for every number, lighter at first; 0: itself.
std::string shade(const std::string& colour, std::size_t number) {
  constexpr std::size_t kLighter = 0x1D1D1D, kColours = 0x1000000;  // without a common factor
  return fmt::format("#{:06X}",
                     (std::stoul(colour.substr(1), nullptr, 16) + number * kLighter) % kColours);
}

/// Of the first mark.
MarkShape shape_of(const PlotSeries& series) {
  return series.marks.empty() ? MarkShape::none : series.marks.front().shape;
}

void require_distinct(const std::vector<PlotSeries>& all) {
  // Colour; the dash of a line; symbol and shape of marks.
  using Look = std::tuple<std::string, std::optional<std::string>, MarkShape, Symbol>;
  std::map<Look, std::string> seen;
  for (const PlotSeries& series : all) {
    const MarkShape shape = shape_of(series);
    const bool line = !series.line.empty();
    if (!line && shape == MarkShape::none) continue;  // nothing of it is drawn
    const SeriesStyle& style = series.style;
    const auto [other, is_new] =
        seen.emplace(Look{style.colour, line ? std::optional(style.dash) : std::nullopt, shape,
                          shape == MarkShape::none ? Symbol::circle : style.symbol},
                     series.name);
    if (!is_new)
      throw std::logic_error("two series look alike: " + other->second + " and " + series.name);
  }
}

/// The part of a line inside the axes, cut at their ends, as pieces.
std::vector<PlotLine> inside(const PlotLine& line, const Axis& across, const Axis& up) {
  std::vector<PlotLine> pieces;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [x1, y1] = line[i - 1];
    const auto [x2, y2] = line[i];
    // Liang and Barsky: the shares of the segment at which it crosses the four edges.
    double from = 0, to = 1;
    const auto cut = [&](double direction, double distance) {  // direction * t <= distance
      if (direction == 0) {
        if (distance < 0) to = -1;
      } else if (direction > 0) {
        to = std::min(to, distance / direction);
      } else {
        from = std::max(from, distance / direction);
      }
    };
    cut(-(x2 - x1), x1 - across.from);
    cut(x2 - x1, across.to - x1);
    cut(-(y2 - y1), y1 - up.from);
    cut(y2 - y1, up.to - y1);
    if (from >= to) continue;
    const PlotPoint begin = {x1 + from * (x2 - x1), y1 + from * (y2 - y1)};
    if (pieces.empty() || pieces.back().back() != begin) pieces.push_back({begin});
    pieces.back().emplace_back(x1 + to * (x2 - x1), y1 + to * (y2 - y1));
  }
  return pieces;
}

class ChartDrawing {
 public:
  ChartDrawing(const LineChart& chart, PlotPoint corner)
      : chart_(chart), left_(corner.first + kLeft), top_(corner.second + kTop) {}

  std::string draw() const {
    std::string svg;
    for (const PlotArea& area : chart_.areas) svg += filled(area);
    svg += axes();
    for (const PlotSeries& series : chart_.series) svg += line(series);
    for (const PlotSeries& series : chart_.series)
      for (const PlotMark& mark : series.marks)
        svg += mark_element(place(mark.at), mark.shape, series.style, mark.title);
    return svg;
  }

 private:
  double x(double value) const { return left_ + chart_.width * chart_.x.share(value); }
  double y(double value) const { return top_ + chart_.height * (1 - chart_.y.share(value)); }
  PlotPoint place(PlotPoint point) const { return {x(point.first), y(point.second)}; }

  std::string filled(const PlotArea& area) const {
    PlotLine corners;
    for (const PlotPoint& corner : area.corners) corners.push_back(place(corner));
    return svg_polygon(corners,
                       svg_attribute("fill", area.colour) + " " +
                           svg_attribute("fill-opacity", fixed_text(area.opacity, 2)),
                       area.title);
  }

  std::string axes() const {
    const double bottom = top_ + chart_.height, right = left_ + chart_.width;
    std::string svg;
    if (!chart_.title.empty())
      svg += svg_text(left_ - 36, top_ - 14, chart_.title, "font-weight=\"bold\"");
    for (const Tick& tick : chart_.y.ticks) {
      svg += svg_line({left_, y(tick.at)}, {right, y(tick.at)}, svg_attribute("stroke", kGridInk));
      svg += number(left_ - 7, y(tick.at) + 4, tick, "end");
    }
    for (const Tick& tick : chart_.x.ticks) {
      svg += svg_line({x(tick.at), bottom}, {x(tick.at), bottom + 4},
                      svg_attribute("stroke", kAxisInk));
      svg += number(x(tick.at), bottom + 18, tick, "middle");
    }
    svg += svg_line({left_, bottom}, {right, bottom}, svg_attribute("stroke", kAxisInk));
    const std::string name = "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk);
    svg += svg_text(left_ + chart_.width / 2, bottom + 36, chart_.x.name, name);
    const double middle = top_ + chart_.height / 2, side = left_ - 38;
    return svg + svg_text(side, middle, chart_.y.name,
                          name + " transform=\"rotate(-90 " + svg_number(side) + " " +
                              svg_number(middle) + ")\"");
  }

  static std::string number(double x, double y, const Tick& tick, const std::string& anchor) {
    return svg_text(x, y, tick.text, svg_attribute("text-anchor", anchor));
  }

  std::string line(const PlotSeries& series) const {
    std::string svg;
    for (PlotLine piece : inside(series.line, chart_.x, chart_.y)) {
      for (PlotPoint& corner : piece) corner = place(corner);
      svg += svg_polyline(piece, "fill=\"none\" " + stroke(series.style), series.name);
    }
    return svg;
  }

  const LineChart& chart_;
  double left_, top_;
};

}  // namespace

SeriesStyle SeriesLooks::next(const SeriesStyle& wanted) {
  SeriesStyle style = wanted;
  const auto first = static_cast<std::size_t>(wanted.symbol);
  for (std::size_t i = 0; !symbols_.emplace(style.colour, style.symbol).second;) {
    ++i;
    style.colour = shade(wanted.colour, i / kSymbols.size());
    style.symbol = kSymbols[(first + i) % kSymbols.size()];
  }
  for (std::size_t i = 1; !dashes_.emplace(style.colour, style.dash).second; ++i)
    style.dash =
        fmt::format("{}{}{} 2 2 2", wanted.dash, wanted.dash.empty() ? "" : " ", 4 * i - 2);
  return style;
}

double chart_width(const LineChart& chart) {
  return kLeft + chart.width + kRight;
}

double chart_height(const LineChart& chart) {
  return kTop + chart.height + kUnder;
}

std::string draw_chart(const LineChart& chart, PlotPoint corner) {
  require_distinct(chart.series);
  return ChartDrawing(chart, corner).draw();
}

double legend_height(const std::vector<PlotSeries>& series) {
  return kLegendLine * static_cast<double>(series.size());
}

std::string draw_legend(const std::vector<PlotSeries>& series, PlotPoint corner) {
  require_distinct(series);
  std::string svg;
  const double x = corner.first;
  double y = corner.second + kLegendLine / 2;
  for (const PlotSeries& one : series) {
    if (!one.line.empty()) svg += svg_line({x, y}, {x + kLegendStroke, y}, stroke(one.style));
    svg += mark_element({x + kLegendStroke / 2, y}, shape_of(one), one.style, "");
    svg += svg_text(x + kLegendStroke + 8, y + 4, one.name, "font-size=\"11\"");
    y += kLegendLine;
  }
  return svg;
}

std::optional<double> least_squares_slope(const PlotLine& points) {
  const auto count = static_cast<double>(points.size());
  double mean_x = 0, mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += x / count;
    mean_y += y / count;
  }
  double xx = 0, xy = 0;
  bool different_x = false, different_y = false;
  for (const auto& [x, y] : points) {
    xx += (x - mean_x) * (x - mean_x);
    xy += (x - mean_x) * (y - mean_y);
    different_x |= x != points.front().first;
    different_y |= y != points.front().second;
  }
  if (!different_x) return std::nullopt;
  return different_y ? xy / xx : 0;
}

}}  // namespace logdepth::report_figures
