#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "proofs-check/precision/measured_curves.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::inline proofs_check_precision {
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
  static const std::vector<SeriesStyle> kStyles = [] {
    std::vector<SeriesStyle> styles;
    SeriesLooks looks;
    while (styles.size() < precision_series().size())
      styles.push_back(looks.next({kHues[styles.size() % kHues.size()]}));
    return styles;
  }();
  return kStyles.at(series);
}

/// The measured points with their fitted line, over log2 N.
PlotSeries drawn_curve(const PrecisionPanel& panel, const MeasuredCurve& curve) {
  const std::string& name = curve.series().name;
  PlotSeries drawn{name, style_of(curve.index)};
  for (const PrecisionPoint& point : curve.points) {
    if (!point.value) continue;
    const PlotPoint at = {std::log2(curve_argument(curve.series(), point)),
                          panel.height(*point.value)};
    drawn.marks.push_back(
        {at, name + ", log2 N = " + fixed_text(at.first, 1) + ": " + fixed_text(at.second, 1)});
  }
  if (curve.fit && !drawn.marks.empty())
    for (const double x : {drawn.marks.front().at.first, drawn.marks.back().at.first})
      drawn.line.emplace_back(x, curve.fit->value(x));
  return drawn;
}

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

/// What the axes have to reach: the marks, not the lines.
struct PanelContent {
  const PrecisionPanel* panel = nullptr;
  std::vector<PlotSeries> series = {};
  double lowest_x = 1e9, highest_x = 0, highest_y = 0;

  void add(PlotSeries drawn) {
    for (const PlotMark& mark : drawn.marks) {
      lowest_x = std::min(lowest_x, mark.at.first);
      highest_x = std::max(highest_x, mark.at.first);
      highest_y = std::max(highest_y, mark.at.second);
    }
    series.push_back(std::move(drawn));
  }
};

}  // namespace

report::Picture precision_picture(const MeasuredCurves& curves) {
  std::vector<PanelContent> contents;
  std::set<std::size_t> shown;
  double most_bits = 0;  // bits are to be compared between panels
  for (const PrecisionPanel& panel : panels()) {
    PanelContent content{&panel};
    for (const MeasuredCurve* curve : curves.of(panel.quantity, panel.scores)) {
      PlotSeries drawn = drawn_curve(panel, *curve);
      if (drawn.marks.empty()) continue;
      shown.insert(curve->index);
      content.add(std::move(drawn));
    }
    if (content.series.empty()) continue;
    if (!panel.is_temperature()) most_bits = std::max(most_bits, content.highest_y);
    contents.push_back(std::move(content));
  }

  Legend legend;
  legend.columns = kLegendColumns;
  for (const std::size_t i : shown)
    legend.entries.push_back({precision_series()[i].name, style_of(i), MarkShape::dot});

  const double width = chart_width(LineChart());
  report::Picture picture{"precision.svg", "Precision of compiled weights", 2 * (kMargin + width),
                          kMargin};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const PanelContent& content = contents[i];
    LineChart chart;
    chart.title = content.panel->title;
    chart.x = doubling_axis(content.lowest_x, content.highest_x,
                            "N: letters, positions or tokens (logarithmic)");
    chart.y = content.panel->is_temperature() ? powers_axis(content.highest_y, "temperature")
                                              : counting_axis(most_bits, "significant bits");
    chart.series = content.series;
    if (i % 2 == 0) picture.strips.push_back({{}, kMargin / 2});
    picture.strips.back().parts.push_back(
        {report::drawing(std::move(chart)), i % 2 == 0 ? kMargin : kMargin + width});
  }
  picture.strips.push_back(
      {{{report::drawing(std::move(legend)), kMargin + 52, kMargin / 2}}, kMargin / 2});
  return picture;
}

}  // namespace logdepth::inline proofs_check_precision
