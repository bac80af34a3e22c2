#include "learned/report/heatmap_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace logdepth {
namespace {

constexpr double kMapMargin = 20, kMapLeft = 58, kMapTop = 44, kBottom = 52, kGap = 24;
/// More than the mean width of the letters of titles.
constexpr double kLetter = 7.4;
constexpr double kCellWidth = 46, kCellHeight = 28;
/// The colours of chance and of accuracy 1, red green blue.
constexpr std::array<int, 3> kLight = {0xF1, 0xF5, 0xFA}, kDark = {0x0B, 0x4F, 0x8A};
constexpr const char* kInk = "#111111";
constexpr const char* kMapQuiet = "#5A5A5A";
constexpr std::size_t kLegendSteps = 20;
constexpr double kLegendHeight = 46, kLegendWidth = 650;

std::string map_number(double value, const char* format = "%.1f") {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// UTF-8 text for a place between tags; control characters, which XML forbids, become blanks.
std::string map_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string text(double x, double y, const std::string& content, const std::string& style) {
  return "<text x=\"" + map_number(x) + "\" y=\"" + map_number(y) + "\" " + style + ">" +
         map_text(content) + "</text>\n";
}

std::string box(double x, double y, double width, double height, const std::string& style) {
  return "<rect x=\"" + map_number(x) + "\" y=\"" + map_number(y) + "\" width=\"" +
         map_number(width) + "\" height=\"" + map_number(height) + "\" " + style + "/>\n";
}

/// 0 at chance or below, 1 at accuracy 1.
double strength(double accuracy, double chance) {
  return std::clamp((accuracy - chance) / (1 - chance), 0.0, 1.0);
}

std::string colour(double strength) {
  std::array<char, 16> text{};
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = static_cast<int>(std::lround(kLight[i] + strength * (kDark[i] - kLight[i])));
  std::snprintf(text.data(), text.size(), "#%02X%02X%02X", mixed[0], mixed[1], mixed[2]);
  return text.data();
}

/// Of the two lines.
constexpr const char* kFrontierStyle = "fill=\"none\" stroke=\"#111111\" stroke-width=\"3.5\"";
constexpr const char* kDiagonalStyle =
    "fill=\"none\" stroke=\"#E08A00\" stroke-width=\"2\" stroke-dasharray=\"6 4\"";

class MapPanel {
 public:
  MapPanel(const HeatmapPanel& panel, double left, double top)
      : panel_(panel), map_(panel.heatmap), left_(left + kMapLeft), top_(top + kMapTop) {}

  static double width(const HeatmapPanel& panel) {
    return kMapLeft + std::max(kCellWidth * static_cast<double>(panel.heatmap.loops.size()),
                               kLetter * static_cast<double>(
                                             std::max(panel.title.size(), panel.subtitle.size())));
  }
  static double height(const HeatmapPanel& panel) {
    return kMapTop + kCellHeight * static_cast<double>(panel.heatmap.difficulties.size()) + kBottom;
  }

  std::string draw() const {
    std::string svg = text(left_, top_ - 26, panel_.title, "font-weight=\"bold\"");
    if (!panel_.subtitle.empty())
      svg += text(left_, top_ - 9, panel_.subtitle, "fill=\"" + std::string(kMapQuiet) + "\"");
    svg += axes();
    for (std::size_t row = 0; row < map_.difficulties.size(); ++row)
      for (std::size_t column = 0; column < map_.loops.size(); ++column) svg += cell(row, column);
    // The dashes lie on top, so that both lines are seen where they are one.
    svg += border(frontier(map_, panel_.threshold), kFrontierStyle);
    return svg + border(map_.loops, kDiagonalStyle);
  }

 private:
  double x(std::size_t column) const { return left_ + kCellWidth * static_cast<double>(column); }
  double y(std::size_t row) const { return top_ + kCellHeight * static_cast<double>(row); }

  std::string axes() const {
    std::string svg;
    const std::size_t rows = map_.difficulties.size(), columns = map_.loops.size();
    for (std::size_t row = 0; row < rows; ++row)
      svg += text(left_ - 8, y(row) + kCellHeight / 2 + 4, std::to_string(map_.difficulties[row]),
                  "text-anchor=\"end\"");
    for (std::size_t column = 0; column < columns; ++column)
      svg += text(x(column) + kCellWidth / 2, y(rows) + 18, std::to_string(map_.loops[column]),
                  "text-anchor=\"middle\"");
    const std::string quiet = "text-anchor=\"middle\" fill=\"" + std::string(kMapQuiet) + "\"";
    svg += text(left_ + kCellWidth * static_cast<double>(columns) / 2, y(rows) + 37, panel_.columns,
                quiet);
    const double middle = top_ + kCellHeight * static_cast<double>(rows) / 2;
    return svg + text(left_ - 38, middle, panel_.rows,
                      quiet + " transform=\"rotate(-90 " + map_number(left_ - 38) + " " +
                          map_number(middle) + ")\"");
  }

  std::string cell(std::size_t row, std::size_t column) const {
    const double accuracy = map_.accuracy[row][column];
    const double filled = strength(accuracy, panel_.chance);
    return box(x(column), y(row), kCellWidth, kCellHeight,
               "fill=\"" + colour(filled) + "\" stroke=\"white\"") +
           text(x(column) + kCellWidth / 2, y(row) + kCellHeight / 2 + 4,
                map_number(accuracy, "%.2f"),
                std::string("text-anchor=\"middle\" fill=\"") + (filled > 0.5 ? "white" : kInk) +
                    "\"");
  }

  /// The line under the rows up to `last[column]` in each column.
  std::string border(const std::vector<std::uint32_t>& last, const std::string& style) const {
    std::string points;
    for (std::size_t column = 0; column < last.size(); ++column) {
      const std::vector<std::uint32_t>& rows = map_.difficulties;
      const auto below = std::upper_bound(rows.begin(), rows.end(), last[column]) - rows.begin();
      for (const std::size_t side : {column, column + 1})
        points += (points.empty() ? "" : " ") + map_number(x(side)) + "," +
                  map_number(y(static_cast<std::size_t>(below)));
    }
    return "<polyline points=\"" + points + "\" " + style + "/>\n";
  }

  const HeatmapPanel& panel_;
  const AccuracyHeatmap& map_;
  double left_, top_;
};

std::string map_legend(double left, double top, const HeatmapPanel& panel) {
  constexpr double kStep = 6;
  std::string svg = text(left, top, "accuracy", "fill=\"" + std::string(kMapQuiet) + "\"");
  const double bar = left + 62;
  for (std::size_t i = 0; i <= kLegendSteps; ++i)
    svg += box(bar + kStep * static_cast<double>(i), top - 11, kStep, 14,
               "fill=\"" + colour(static_cast<double>(i) / kLegendSteps) + "\"");
  const double end = bar + kStep * static_cast<double>(kLegendSteps + 1);
  svg += text(bar, top + 18, map_number(panel.chance, "%.2f") + " (chance) or less",
              "font-size=\"10\" fill=\"" + std::string(kMapQuiet) + "\"");
  svg += text(end, top + 18, "1",
              "font-size=\"10\" text-anchor=\"end\" fill=\"" + std::string(kMapQuiet) + "\"");
  const auto line = [&](double at, const std::string& style, const std::string& meaning) {
    return "<polyline points=\"" + map_number(at) + "," + map_number(top - 4) + " " +
           map_number(at + 30) + "," + map_number(top - 4) + "\" " + style + "/>\n" +
           text(at + 38, top, meaning, "");
  };
  svg += line(end + 28, kFrontierStyle,
              "frontier: at least " + map_number(panel.threshold, "%.2f") + " in all rows above");
  return svg + line(end + 310, kDiagonalStyle, "T = hops");
}

}  // namespace

std::string heatmap_rows_svg(const std::vector<std::vector<HeatmapPanel>>& rows) {
  std::string body;
  double width = 2 * kMapMargin + kLegendWidth, top = kMapMargin;
  const HeatmapPanel* first = nullptr;
  for (const std::vector<HeatmapPanel>& row : rows) {
    double left = kMapMargin, height = 0;
    for (const HeatmapPanel& panel : row) {
      if (!first) first = &panel;
      body += MapPanel(panel, left, top).draw();
      left += MapPanel::width(panel) + kGap;
      height = std::max(height, MapPanel::height(panel));
    }
    width = std::max(width, left - kGap + kMapMargin);
    top += height;
  }
  if (first) body += map_legend(kMapMargin + kMapLeft, top + 18, *first);
  const double height = top + kLegendHeight;
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + map_number(width) + "\" height=\"" +
         map_number(height) + "\" viewBox=\"0 0 " + map_number(width) + " " + map_number(height) +
         "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\" font-size=\"12\">\n"
         "<title>Accuracy by difficulty and number of loops</title>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + "</svg>\n";
}

std::string heatmap_svg(const HeatmapPanel& panel) {
  return heatmap_rows_svg({{panel}});
}

std::string heatmap_pair_svg(const HeatmapPanel& ours, const HeatmapPanel& published) {
  return heatmap_rows_svg({{ours, published}});
}

}  // namespace logdepth
