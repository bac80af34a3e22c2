#include "proofs-check/precision/precision_figure.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;

constexpr double kMargin = 20;
constexpr std::size_t kLegendColumns = 4;

struct PrecisionPanel {
  std::string title;
  Quantity quantity;
  Scores scores;
  bool is_temperature() const { return quantity == Quantity::temperature; }
  /// What is drawn upwards.
  double height(double value) const { return is_temperature() ? std::log2(value) : value; }
};

SeriesStyle style_of(std::size_t series) {
  return {kHues[series % kHues.size()]};
}

/// The measured points of one series with its fitted line, over log2 N.
PlotSeries drawn_series(const PrecisionReport& report, const PrecisionPanel& panel,
                        std::size_t index) {
  const PrecisionSeries& series = precision_series()[index];
  const auto points = points_of(report, series.name, panel.quantity, panel.scores);
  PlotSeries drawn{series.name, style_of(index)};
  for (const PrecisionPoint& point : points) {
    if (!point.value) continue;
    const PlotPoint at = {std::log2(curve_argument(series, point)), panel.height(*point.value)};
    drawn.marks.push_back({at, series.name + ", log2 N = " + fixed_text(at.first, 1) + ": " +
                                   fixed_text(at.second, 1)});
  }
  if (drawn.marks.empty()) return drawn;
  if (const auto fit = fit_curve(points))
    for (const double x : {drawn.marks.front().at.first, drawn.marks.back().at.first})
      drawn.line.emplace_back(x, fit->value(x));
  return drawn;
}

/// What the axes have to reach.
struct Extent {
  double lowest_x = 1e9, highest_x = 0, highest_y = 0;
  void add(const PlotSeries& series) {
    for (const PlotMark& mark : series.marks) {
      lowest_x = std::min(lowest_x, mark.at.first);
      highest_x = std::max(highest_x, mark.at.first);
      highest_y = std::max(highest_y, mark.at.second);
    }
  }
};

const std::vector<PrecisionPanel>& panels() {
  static const std::vector<PrecisionPanel> kPanels = {
      {"Bits for right answers, scores by distance", Quantity::bits, Scores::distance},
      {"Bits for right answers, scores by product", Quantity::bits, Scores::product},
      {"Bits for certified answers, scores by distance", Quantity::certified_bits,
       Scores::distance},
      {"Bits for certified answers, scores by product", Quantity::certified_bits, Scores::product},
      {"Softmax temperature for right answers", Quantity::temperature, Scores::distance}};
  return kPanels;
}

struct PanelContent {
  const PrecisionPanel* panel = nullptr;
  std::vector<PlotSeries> series;
  Extent extent;
};

}  // namespace

std::string precision_svg(const PrecisionReport& report) {
  std::vector<PanelContent> contents;
  std::set<std::size_t> shown;
  double most_bits = 0;  // bits are to be compared between panels
  for (const PrecisionPanel& panel : panels()) {
    PanelContent content{&panel, {}, {}};
    for (std::size_t i = 0; i < precision_series().size(); ++i) {
      PlotSeries drawn = drawn_series(report, panel, i);
      if (drawn.marks.empty()) continue;
      shown.insert(i);
      content.extent.add(drawn);
      content.series.push_back(std::move(drawn));
    }
    if (content.series.empty()) continue;
    if (!panel.is_temperature()) most_bits = std::max(most_bits, content.extent.highest_y);
    contents.push_back(std::move(content));
  }

  Legend legend;
  legend.columns = kLegendColumns;
  for (const std::size_t i : shown)
    legend.entries.push_back({precision_series()[i].name, style_of(i), MarkShape::dot});

  std::string body;
  const double width = chart_width(LineChart());
  double top = kMargin;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const auto& [panel, series, extent] = contents[i];
    LineChart chart;
    chart.title = panel->title;
    chart.x = doubling_axis(extent.lowest_x, extent.highest_x,
                            "N: letters, positions or tokens (logarithmic)");
    chart.y = panel->is_temperature() ? powers_axis(extent.highest_y, "temperature")
                                      : counting_axis(most_bits, "significant bits");
    chart.series = series;
    const bool left = i % 2 == 0;
    body += draw_chart(chart, {left ? kMargin : kMargin + width, top});
    if (!left || i + 1 == contents.size()) top += chart_height(chart) + kMargin / 2;
  }
  top += kMargin / 2;
  body += draw_legend(legend, {kMargin + 52, top});
  return svg_document(2 * (kMargin + width), top + legend_height(legend) + kMargin / 2,
                      "Precision of compiled weights", body);
}

}  // namespace logdepth
