#include "learned/report/depth_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "figures/colours.hpp"
#include "figures/line_chart.hpp"
#include "learned/report/depth_table_text.hpp"
#include "objects/number_text.hpp"
#include "objects/xml_text.hpp"

namespace logdepth {
namespace {

constexpr double kMargin = 16, kPlotWidth = 440, kPlotHeight = 300;
constexpr double kLegendLeft = 52, kUnderLegend = 24;
constexpr std::size_t kColumns = 2, kLegendName = 64;
constexpr const char* kPublishedColour = "#000000";
/// Okabe and Ito's hues, darkened for lines on white, for what was learned.
constexpr std::array<const char*, 6> kLearned = {"#D55E00", "#B4508F", "#00875F",
                                                 "#6A3D9A", "#B07D00", "#A3123B"};
/// Cool and quiet ones for what was constructed.
constexpr std::array<const char*, 2> kClaimed = {"#6E6E6E", "#9A9A9A"};
constexpr std::array<const char*, 2> kClaimedDash = {"7 4", "2 3"};
constexpr std::array<const char*, 5> kBuilt = {"#0072B2", "#56B4E9", "#2F4B8F", "#3BA7A0",
                                               "#7FA6D6"};

/// A problem as it is drawn: series over log2 of the size.
struct Scene {
  std::string title, size;
  std::vector<PlotSeries> series;
  bool has_learned() const {
    return std::ranges::any_of(series, [](const PlotSeries& one) { return !one.marks.empty(); });
  }
};

PlotSeries constructed_series(const ConstructedCurve& curve, std::size_t claimed,
                              std::size_t built) {
  PlotSeries series;
  if (curve.form == ConstructedCurve::Form::claimed) {
    series.name = curve.construction + ", claimed (not built)";
    series.style = {kClaimed[claimed % kClaimed.size()],
                    kClaimedDash[claimed % kClaimedDash.size()]};
    series.style.kind = "claimed";
  } else {
    series.name = curve.construction + ", " + curve.encoding + ", " + form_label(curve.form) +
                  ": " + curve.formula;
    series.style = {kBuilt[built % kBuilt.size()]};
    series.style.kind = "constructed";
  }
  for (const auto& [size, depth] : curve.depths)
    series.line.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
  return series;
}

/// The fitted curve between the smallest and the largest reach that it was fitted to. The linear curve
/// is bent over a logarithmic axis.
PlotLine fitted_line(const DepthFit& fit) {
  double least = 0, most = 0;
  for (const DepthCell& cell : fit.cells) {
    if (cell.censored || cell.reach < 1) continue;
    least = least == 0 ? cell.reach : std::min(least, cell.reach);
    most = std::max(most, cell.reach);
  }
  const bool linear = fit.preferred == GrowthCurve::linear;
  const LeastSquares& curve = linear ? fit.linear.direct : fit.logarithmic.direct;
  const int steps = linear ? 24 : 1;
  const double from = std::log2(least), to = std::log2(most);
  PlotLine points;
  for (int i = 0; i <= steps; ++i) {
    const double x = from + (to - from) * i / steps;
    points.emplace_back(x, curve.value(linear ? std::exp2(x) : x));
  }
  return points;
}

PlotSeries learned_series(const LearnedRow& row, const std::string& colour) {
  const LearnedSeries& series = row.series;
  const std::string name =
      fmt::format("{}, width {}, {}", series_name(series), series.width, series.device);
  PlotSeries drawn;
  // The curve itself is never cut: a slope is not shown without what was censored.
  drawn.name = cut_text(name, kLegendName) + ": " + fitted_curve_text(series, row.best);
  drawn.style = {colour, "", 2, "learned"};
  if (row.best.fitted()) drawn.line = fitted_line(row.best);
  for (const RunPoint& run : series.points) {
    const DepthPoint& point = run.point;
    if (point.reach < 1) continue;
    drawn.marks.push_back(
        {{std::log2(point.reach), point.depth},
         fmt::format("{}, seed {}: depth {}, {}{}{}", name, point.seed, fixed_text(point.depth, 0),
                     series.reach, point.censored ? " >= " : " = ", fixed_text(point.reach, 0)),
         point.censored ? MarkShape::ring : MarkShape::dot});
  }
  return drawn;
}

PlotSeries published_series(const PublishedLine& line) {
  PlotSeries drawn{"published, " + line.source + ": " + line.text,
                   {kPublishedColour, "6 4", 1.6, "published"}};
  for (const double x : {line.first, line.last})
    drawn.line.emplace_back(std::log2(x), line.value(x));
  return drawn;
}

Scene scene_of(const DepthProblem& problem) {
  Scene scene{problem.name, problem.size, {}};
  std::size_t claimed = 0, built = 0, learned = 0;
  for (const ConstructedCurve& curve : problem.constructed) {
    if (curve.depths.empty()) continue;
    scene.series.push_back(constructed_series(curve, claimed, built));
    ++(curve.form == ConstructedCurve::Form::claimed ? claimed : built);
  }
  if (problem.published) scene.series.push_back(published_series(*problem.published));
  for (const LearnedRow& row : problem.learned)
    scene.series.push_back(learned_series(row, kLearned[learned++ % kLearned.size()]));
  return scene;
}

/// All of a scene, or what lies near the learned points.
LineChart chart_of(const Scene& scene, bool near_the_learned) {
  double right = 0, high = 1;
  const auto reach = [&](const PlotPoint& point) {
    right = std::max(right, point.first);
    high = std::max(high, point.second);
  };
  for (const PlotSeries& series : scene.series) {
    for (const PlotMark& mark : series.marks) reach(mark.at);
    if (!near_the_learned) std::ranges::for_each(series.line, reach);
  }
  LineChart chart;
  chart.title = scene.title + (near_the_learned ? ", near what was learned" : "");
  chart.x = doubling_axis(0, near_the_learned ? right + 1 : right, scene.size + " (logarithmic)");
  chart.y = counting_axis(near_the_learned ? 1.5 * high : high, "layers");
  chart.series = scene.series;
  chart.width = kPlotWidth;
  chart.height = kPlotHeight;
  return chart;
}

/// One line for every series, and what hollow points are.
Legend legend_of(const Scene& scene) {
  Legend legend;
  bool censored = false;
  for (const PlotSeries& series : scene.series) {
    LegendEntry entry = legend_entry(series);
    entry.line = true;
    if (series.style.kind == "learned") entry.mark = MarkShape::dot;
    legend.entries.push_back(std::move(entry));
    censored |=
        std::ranges::find(series.marks, MarkShape::ring, &PlotMark::shape) != series.marks.end();
  }
  if (censored)
    legend.entries.push_back(
        {"censored: nothing larger was asked for", {kQuietInk}, MarkShape::ring, false});
  return legend;
}

}  // namespace

std::string depth_figure_svg(const DepthTable& table) {
  LineChart any;
  any.width = kPlotWidth;
  any.height = kPlotHeight;
  const double panel_width = chart_width(any), panel_height = chart_height(any);
  std::string body;
  double top = kMargin, row_legend = 0;
  std::size_t column = 0;
  const auto next_row = [&] {
    if (column == 0) return;
    top += panel_height + row_legend + kUnderLegend;
    column = 0;
    row_legend = 0;
  };
  for (const DepthProblem& problem : table.problems) {
    const Scene scene = scene_of(problem);
    const Legend legend = legend_of(scene);
    const bool near = scene.has_learned();
    if (near) next_row();  // both panels side by side
    const double left = kMargin + panel_width * static_cast<double>(column);
    body += draw_chart(chart_of(scene, false), {left, top});
    body += draw_legend(legend, {left + kLegendLeft, top + panel_height});
    row_legend = std::max(row_legend, legend_height(legend));
    ++column;
    if (near) body += draw_chart(chart_of(scene, true), {kMargin + panel_width, top});
    if (near || column == kColumns) next_row();
  }
  next_row();
  return svg_document(2 * kMargin + kColumns * panel_width, top, "Depth against size", body);
}

}  // namespace logdepth
