#include "report/figures/heatmap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::inline report_figures {
namespace {

// Room beside the cells: the names of rows and columns, and the two lines of the title.
constexpr double kMapLeft = 58, kMapTop = 44, kMapUnder = 52;
/// More than the mean width of the letters of titles.
constexpr double kTitleLetter = 7.4, kLegendLetter = 6;
constexpr double kCellWidth = 38, kCellHeight = 28;
/// The colours of the lightest and of the darkest value, red green blue.
constexpr std::array<int, 3> kLight = {0xF1, 0xF5, 0xFA}, kDark = {0x0B, 0x4F, 0x8A};
constexpr std::size_t kColourSteps = 20;
constexpr double kColourStep = 6, kBorderSample = 30, kLegendGap = 28;

/// 0 at the lightest value or below, 1 at the darkest or above.
double strength(const Heatmap& map, double value) {
  return std::clamp((value - map.lightest) / (map.darkest - map.lightest), 0.0, 1.0);
}

std::string mixed_colour(double strength) {
  std::array<char, 16> text{};
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = static_cast<int>(std::lround(kLight[i] + strength * (kDark[i] - kLight[i])));
  std::snprintf(text.data(), text.size(), "#%02X%02X%02X", mixed[0], mixed[1], mixed[2]);
  return text.data();
}

double length_of(const std::string& text) {
  return static_cast<double>(count_characters(text));
}

double colours_width(const HeatmapLegend& legend) {
  return kLegendLetter * (length_of(legend.name) + 1.5) +
         kColourStep * static_cast<double>(kColourSteps + 1);
}

double line_width(const HeatmapLine& line) {
  return kLegendGap + kBorderSample + 8 + kLegendLetter * length_of(line.meaning);
}

class HeatmapDrawing {
 public:
  HeatmapDrawing(const Heatmap& map, PlotPoint corner)
      : map_(map), left_(corner.first + kMapLeft), top_(corner.second + kMapTop) {}

  std::string draw() const {
    std::string svg = svg_text(left_, top_ - 26, map_.title, "font-weight=\"bold\"");
    if (!map_.subtitle.empty())
      svg += svg_text(left_, top_ - 9, map_.subtitle, svg_attribute("fill", kQuietInk));
    svg += axes();
    for (std::size_t row = 0; row < map_.rows.size(); ++row)
      for (std::size_t column = 0; column < map_.columns.size(); ++column) svg += cell(row, column);
    for (const HeatmapFrame& frame : map_.frames)
      svg +=
          svg_rect({x(frame.column), y(frame.row)}, kCellWidth * static_cast<double>(frame.columns),
                   kCellHeight * static_cast<double>(frame.rows), "fill=\"none\" " + frame.style);
    for (const HeatmapBorder& border : map_.borders) svg += border_line(border);
    return svg;
  }

 private:
  double x(std::size_t column) const { return left_ + kCellWidth * static_cast<double>(column); }
  double y(std::size_t row) const { return top_ + kCellHeight * static_cast<double>(row); }

  std::string axes() const {
    std::string svg;
    const std::size_t rows = map_.rows.size(), columns = map_.columns.size();
    for (std::size_t row = 0; row < rows; ++row)
      svg +=
          svg_text(left_ - 8, y(row) + kCellHeight / 2 + 4, map_.rows[row], "text-anchor=\"end\"");
    for (std::size_t column = 0; column < columns; ++column)
      svg += svg_text(x(column) + kCellWidth / 2, y(rows) + 18, map_.columns[column],
                      "text-anchor=\"middle\"");
    const std::string name = "text-anchor=\"middle\" " + svg_attribute("fill", kQuietInk);
    svg += svg_text((left_ + x(columns)) / 2, y(rows) + 37, map_.column_name, name);
    const double middle = (top_ + y(rows)) / 2, side = left_ - 38;
    return svg + svg_text(side, middle, map_.row_name,
                          name + " transform=\"rotate(-90 " + svg_number(side) + " " +
                              svg_number(middle) + ")\"");
  }

  std::string cell(std::size_t row, std::size_t column) const {
    const double value = map_.values[row][column];
    const double filled = strength(map_, value);
    return svg_rect({x(column), y(row)}, kCellWidth, kCellHeight,
                    svg_attribute("fill", mixed_colour(filled)) + " stroke=\"white\"") +
           svg_text(
               x(column) + kCellWidth / 2, y(row) + kCellHeight / 2 + 4, fixed_text(value, 2),
               "text-anchor=\"middle\" " + svg_attribute("fill", filled > 0.5 ? "white" : kInk));
  }

  std::string border_line(const HeatmapBorder& border) const {
    PlotLine line;
    for (std::size_t column = 0; column < border.above.size(); ++column)
      for (const std::size_t side : {column, column + 1})
        line.emplace_back(x(side), y(border.above[column]));
    return svg_polyline(line, "fill=\"none\" " + border.style);
  }

  const Heatmap& map_;
  double left_, top_;
};

}  // namespace

double heatmap_width(const Heatmap& map) {
  return kMapLeft +
         std::max(kCellWidth * static_cast<double>(map.columns.size()),
                  kTitleLetter * std::max(length_of(map.title), length_of(map.subtitle)));
}

double heatmap_height(const Heatmap& map) {
  return kMapTop + kCellHeight * static_cast<double>(map.rows.size()) + kMapUnder;
}

std::string draw_heatmap(const Heatmap& map, PlotPoint corner) {
  return HeatmapDrawing(map, corner).draw();
}

double heatmap_legend_width(const HeatmapLegend& legend) {
  double width = kMapLeft + colours_width(legend);
  for (const HeatmapLine& line : legend.lines) width += line_width(line);
  return width;
}

double heatmap_legend_height() {
  return 46;
}

std::string draw_heatmap_legend(const HeatmapLegend& legend, PlotPoint corner) {
  const double left = corner.first + kMapLeft, base = corner.second + 18;
  const std::string quiet = svg_attribute("fill", kQuietInk);
  std::string svg = svg_text(left, base, legend.name, quiet);
  const double bar = left + kLegendLetter * (length_of(legend.name) + 1.5);
  for (std::size_t i = 0; i <= kColourSteps; ++i)
    svg += svg_rect({bar + kColourStep * static_cast<double>(i), base - 11}, kColourStep, 14,
                    svg_attribute("fill", mixed_colour(static_cast<double>(i) / kColourSteps)));
  double x = left + colours_width(legend);
  svg += svg_text(bar, base + 18, legend.lightest, "font-size=\"10\" " + quiet);
  svg += svg_text(x, base + 18, legend.darkest, "font-size=\"10\" text-anchor=\"end\" " + quiet);
  for (const HeatmapLine& line : legend.lines) {
    const double at = x + kLegendGap, y = base - 4;
    svg += svg_polyline({{at, y}, {at + kBorderSample, y}}, "fill=\"none\" " + line.style);
    svg += svg_text(at + kBorderSample + 8, base, line.meaning, "");
    x += line_width(line);
  }
  return svg;
}

}  // namespace logdepth::inline report_figures
