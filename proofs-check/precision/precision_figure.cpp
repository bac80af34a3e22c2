#include "proofs-check/precision/precision_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>

#include "proofs-check/pictures/svg_text.hpp"

namespace logdepth {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;

constexpr double kMargin = 20, kLeft = 52, kTop = 34, kPlotWidth = 350, kPlotHeight = 250;
constexpr double kPanelWidth = kLeft + kPlotWidth + 24, kPanelHeight = kTop + kPlotHeight + 54;
constexpr double kLegendLine = 20;
/// Okabe and Ito's hues, the lighter ones darkened for lines on white, and two more.
constexpr std::array<const char*, 8> kColours = {"#0072B2", "#D55E00", "#00875F", "#B4508F",
                                                 "#000000", "#B07D00", "#6A3D9A", "#7A4B2A"};
constexpr const char* kQuiet = "#5A5A5A";
constexpr const char* kGrid = "#E2E2E2";

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

struct Panel {
  std::string title;
  Quantity quantity;
  Scores scores;
};

/// The points of one series in a panel, as drawn: log2 N, and bits or log2 of the temperature.
struct Line {
  std::size_t colour = 0;
  std::string name;
  std::vector<std::pair<double, double>> points, prototype;
  std::optional<LineFit> fit;
};

std::vector<Line> lines_of(const PrecisionReport& report, const Panel& panel) {
  const bool temperature = panel.quantity == Quantity::temperature;
  const auto height = [&](double value) { return temperature ? std::log2(value) : value; };
  std::vector<Line> lines;
  for (std::size_t i = 0; i < precision_series().size(); ++i) {
    const PrecisionSeries& series = precision_series()[i];
    const auto points = points_of(report, series.name, panel.quantity, panel.scores);
    Line line;
    line.colour = i;
    line.name = series.name;
    line.fit = fit_law(points);
    for (const PrecisionPoint& point : points)
      if (point.value)
        line.points.emplace_back(std::log2(law_argument(series, point)), height(*point.value));
    if (line.points.empty()) continue;
    // The prototype scored by products; its temperatures are about the exact scores.
    const PrototypeLaw* prototype = prototype_law(series.name, panel.quantity);
    if (prototype && (temperature || panel.scores == Scores::product))
      for (const auto& [n, value] : prototype->points)
        line.prototype.emplace_back(std::log2(n), height(value));
    lines.push_back(std::move(line));
  }
  return lines;
}

double highest_of(const std::vector<Line>& lines) {
  double highest = 0;
  for (const Line& line : lines)
    for (const auto* points : {&line.points, &line.prototype})
      for (const auto& [x, y] : *points) highest = std::max(highest, y);
  return highest;
}

class Plot {
 public:
  /// `highest`: what the vertical axis has to reach.
  Plot(const Panel& panel, std::vector<Line> lines, double highest, double left, double top)
      : panel_(panel), lines_(std::move(lines)), left_(left + kLeft), top_(top + kTop) {
    first_ = 1e9;
    for (const Line& line : lines_)
      for (const auto* points : {&line.points, &line.prototype})
        for (const auto& [x, y] : *points) {
          first_ = std::min(first_, std::floor(x));
          last_ = std::max(last_, std::ceil(x));
        }
    last_ = std::max(last_, first_ + 1);
    step_ = highest > 30 ? 10 : highest > 12 ? 5 : 2;
    highest_ = (std::floor(highest / step_) + 1) * step_;
  }

  std::string draw() const {
    std::string svg = axes();
    for (const Line& line : lines_) svg += fitted(line);
    for (const Line& line : lines_) svg += marks(line);
    return svg;
  }

 private:
  double x(double value) const { return left_ + kPlotWidth * (value - first_) / (last_ - first_); }
  double y(double value) const { return top_ + kPlotHeight * (1 - value / highest_); }

  static std::string text(double at, double y, const std::string& content,
                          const std::string& style) {
    return "<text x=\"" + number(at) + "\" y=\"" + number(y) + "\" " + style + ">" +
           xml_text(content) + "</text>\n";
  }

  static std::string segment(double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
           "\" y2=\"" + number(y2) + "\" " + style + "/>\n";
  }

  std::string axes() const {
    const bool temperature = panel_.quantity == Quantity::temperature;
    const double bottom = top_ + kPlotHeight;
    std::string svg = text(left_ - 36, top_ - 14, panel_.title, "font-weight=\"bold\"");
    for (double value = 0; value <= highest_; value += step_) {
      svg += segment(left_, y(value), left_ + kPlotWidth, y(value),
                     "stroke=\"" + std::string(kGrid) + "\"");
      const std::string power = std::to_string(static_cast<int>(value));
      svg += "<text x=\"" + number(left_ - 7) + "\" y=\"" + number(y(value) + 4) +
             "\" text-anchor=\"end\">" +
             (temperature ? "2<tspan dy=\"-4\" font-size=\"9\">" + power + "</tspan>" : power) +
             "</text>\n";
    }
    for (double value = first_; value <= last_; ++value) {
      svg += segment(x(value), bottom, x(value), bottom + 4, "stroke=\"#333333\"");
      svg += text(x(value), bottom + 18, std::to_string(1 << static_cast<int>(value)),
                  "text-anchor=\"middle\"");
    }
    svg += segment(left_, bottom, left_ + kPlotWidth, bottom, "stroke=\"#333333\"");
    return svg + text(left_ + kPlotWidth / 2, bottom + 36,
                      "N: letters, positions or tokens (logarithmic)",
                      "text-anchor=\"middle\" fill=\"" + std::string(kQuiet) + "\"");
  }

  static std::string colour(const Line& line) { return kColours[line.colour % kColours.size()]; }

  std::string fitted(const Line& line) const {
    if (!line.fit) return "";
    const double from = line.points.front().first, to = line.points.back().first;
    const auto at = [&](double value) {
      return y(std::clamp(line.fit->slope * value + line.fit->intercept, 0.0, highest_));
    };
    return segment(x(from), at(from), x(to), at(to),
                   "stroke=\"" + colour(line) + "\" stroke-width=\"1.6\" opacity=\"0.75\"");
  }

  std::string marks(const Line& line) const {
    std::string svg;
    for (const auto& [at, value] : line.prototype) {
      const std::string style = "stroke=\"" + colour(line) + "\" stroke-width=\"1.4\"";
      svg += segment(x(at) - 5, y(value) - 5, x(at) + 5, y(value) + 5, style);
      svg += segment(x(at) - 5, y(value) + 5, x(at) + 5, y(value) - 5, style);
    }
    for (const auto& [at, value] : line.points)
      svg += "<circle cx=\"" + number(x(at)) + "\" cy=\"" + number(y(value)) +
             "\" r=\"3.4\" fill=\"" + colour(line) + "\" stroke=\"white\"><title>" +
             xml_text(line.name) + ", log2 N = " + number(at) + ": " + number(value) +
             "</title></circle>\n";
    return svg;
  }

  const Panel& panel_;
  std::vector<Line> lines_;
  double left_, top_, first_ = 0, last_ = 0, step_ = 1, highest_ = 1;
};

/// Two columns of names under the panels, and what the marks mean.
std::string legend(const std::vector<std::size_t>& series, bool prototype, double top) {
  std::string svg;
  const auto place = [&](std::size_t i) {
    return std::pair(kMargin + kLeft + 210 * static_cast<double>(i % 4),
                     top + kLegendLine * static_cast<double>(i / 4));
  };
  std::size_t i = 0;
  const auto entry = [&](const std::string& mark, const std::string& name) {
    const auto [left, at] = place(i++);
    svg += "<g transform=\"translate(" + number(left) + " " + number(at) + ")\">" + mark +
           "<text x=\"28\" y=\"4\">" + xml_text(name) + "</text></g>\n";
  };
  for (const std::size_t k : series) {
    const std::string colour = kColours[k % kColours.size()];
    entry("<line x1=\"0\" y1=\"0\" x2=\"22\" y2=\"0\" stroke=\"" + colour +
              "\" stroke-width=\"1.6\"/><circle cx=\"11\" cy=\"0\" r=\"3.4\" fill=\"" + colour +
              "\" stroke=\"white\"/>",
          precision_series()[k].name);
  }
  if (prototype)
    entry("<path d=\"M7 -4 l8 8 m0 -8 l-8 8\" stroke=\"" + std::string(kQuiet) +
              "\" stroke-width=\"1.4\"/>",
          "a prototype's points");
  return svg;
}

}  // namespace

std::string precision_svg(const PrecisionReport& report) {
  static const std::vector<Panel> kPanels = {
      {"Bits for right answers, scores by distance", Quantity::bits, Scores::distance},
      {"Bits for right answers, scores by product", Quantity::bits, Scores::product},
      {"Bits for certified answers, scores by distance", Quantity::certified_bits,
       Scores::distance},
      {"Bits for certified answers, scores by product", Quantity::certified_bits, Scores::product},
      {"Softmax temperature for right answers", Quantity::temperature, Scores::distance}};
  // Bits are to be compared between panels.
  double most_bits = 0;
  for (const Panel& panel : kPanels)
    if (panel.quantity != Quantity::temperature)
      most_bits = std::max(most_bits, highest_of(lines_of(report, panel)));
  std::string body;
  std::vector<std::size_t> series;
  bool prototype = false;
  std::size_t drawn = 0;
  for (const Panel& panel : kPanels) {
    std::vector<Line> lines = lines_of(report, panel);
    if (lines.empty()) continue;
    for (const Line& line : lines) {
      prototype |= !line.prototype.empty();
      if (std::find(series.begin(), series.end(), line.colour) == series.end())
        series.push_back(line.colour);
    }
    const double highest = panel.quantity == Quantity::temperature ? highest_of(lines) : most_bits;
    body += Plot(panel, std::move(lines), highest,
                 kMargin + kPanelWidth * static_cast<double>(drawn % 2),
                 kMargin + kPanelHeight * static_cast<double>(drawn / 2))
                .draw();
    ++drawn;
  }
  std::sort(series.begin(), series.end());
  const double rows = std::ceil(static_cast<double>(drawn) / 2);
  const double legend_top = kMargin + rows * kPanelHeight + 16;
  const double width = 2 * (kMargin + kPanelWidth);
  const double height =
      legend_top + kLegendLine * std::ceil((static_cast<double>(series.size()) + 1) / 4) + 4;
  const std::string size = number(width) + "\" height=\"" + number(height);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " +
         number(width) + " " + number(height) +
         "\" font-family=\"DejaVu Sans,Helvetica,Arial,sans-serif\" font-size=\"12\">\n"
         "<title>Precision of compiled weights</title>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
         body + legend(series, prototype, legend_top) + "</svg>\n";
}

}  // namespace logdepth
