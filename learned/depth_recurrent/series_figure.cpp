#include "learned/depth_recurrent/series_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/number_text.hpp"
#include "learned/depth_recurrent/criteria.hpp"
#include "learned/depth_recurrent/heatmap_figure.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth::inline learned_depth_recurrent {
namespace {

constexpr double kPageMargin = 20, kUnderCharts = 20, kChartWidth = 300, kChartHeight = 190;
constexpr double kLegendLeft = 52, kColumnWidth = 378;
constexpr const char* kPublishedColour = "#000000";
constexpr const char* kDash = "6 4";
/// Readings are of every loop; more marks than these run into each other.
constexpr std::size_t kMostMarked = 12;

/// A chart with the names of its series under it.
struct ChartPanel {
  LineChart chart;
  Legend legend;
};

ChartPanel panel(const std::string& title, Axis x, Axis y, std::vector<PlotSeries> series) {
  ChartPanel panel;
  panel.chart.title = title;
  panel.chart.x = std::move(x);
  panel.chart.y = std::move(y);
  panel.chart.series = std::move(series);
  panel.chart.width = kChartWidth;
  panel.chart.height = kChartHeight;
  for (const PlotSeries& one : panel.chart.series)
    panel.legend.entries.push_back(legend_entry(one));
  return panel;
}

double largest_y(const std::vector<PlotSeries>& series) {
  LineChart chart;
  chart.series = series;
  return report::largest(chart).second;
}

std::string curve_text(const FrontierFit& fit) {
  if (!fit.line) return "no line";
  return line_text(fit.line->a, fit.line->b) + ", r² = " + fixed_text(fit.line->r2, 2);
}

/// Hollow where the line leaves it out.
PlotSeries frontier_series(const std::string& name, const FrontierFit& fit, SeriesStyle style,
                           const std::string& unit) {
  PlotSeries series{name + ": " + curve_text(fit), std::move(style)};
  const auto mark = [&](const std::pair<std::uint32_t, std::uint32_t>& point, MarkShape shape) {
    series.marks.push_back({{point.first, point.second},
                            fmt::format("{}, T = {}: {} {}", name, point.first, point.second, unit),
                            shape});
  };
  for (const auto& point : fit.points) mark(point, MarkShape::dot);
  for (const auto& point : fit.censored) mark(point, MarkShape::ring);
  for (const auto& point : fit.beyond) mark(point, MarkShape::ring);
  for (const auto& point : fit.empty) mark(point, MarkShape::ring);
  if (fit.line)
    for (const double loops : {static_cast<double>(fit.points.front().first),
                               static_cast<double>(fit.points.back().first)})
      series.line.emplace_back(loops, fit.line->value(loops));
  return series;
}

double most_loops(const RecurrentSeries& series) {
  return std::max(series.base().median.loops.back(),
                  series.subject.published->heatmap.loops.back());
}

ChartPanel frontier_panel(const RecurrentSeries& series) {
  const AccuracyHeatmap& ours = series.base().median;
  const AccuracyHeatmap& published = series.subject.published->heatmap;
  const std::string& unit = series.subject.unit;
  const double most = std::max(ours.difficulties.back(), published.difficulties.back());
  std::vector<PlotSeries> lines = {{"T = " + unit, {"#E08A00", kDash}, {{0, 0}, {most, most}}}};
  lines.push_back(frontier_series("published", fit_frontier(published, kSolved),
                                  {kPublishedColour, kDash}, unit));
  lines.push_back(frontier_series("ours", fit_frontier(ours, kSolved), {kHues[0], "", 2}, unit));
  ChartPanel drawn = panel("Frontier: " + unit + " up to which all reach .95",
                           counting_axis(most_loops(series), "iterations T"),
                           counting_axis(most, unit), std::move(lines));
  drawn.legend.entries.push_back(
      {"hollow: left out of the line", {kQuietInk}, MarkShape::ring, false});
  return drawn;
}

PlotSeries overthinking_series(const std::string& name, const AccuracyHeatmap& heatmap,
                               SeriesStyle style) {
  PlotSeries series{name, std::move(style)};
  const std::vector<double> scores = overthinking(heatmap);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const PlotPoint at = {heatmap.difficulties[i], scores[i]};
    series.line.push_back(at);
    series.marks.push_back(
        {at, fmt::format("{}, {}: {}", name, heatmap.difficulties[i], fixed_text(scores[i], 3))});
  }
  return series;
}

ChartPanel overthinking_panel(const RecurrentSeries& series) {
  const AccuracyHeatmap& ours = series.base().median;
  const AccuracyHeatmap& published = series.subject.published->heatmap;
  std::vector<PlotSeries> lines = {
      overthinking_series("published", published, {kPublishedColour, kDash}),
      overthinking_series("ours", ours, {kHues[0], "", 2})};
  Axis loss = decimal_axis(std::max(0.05, largest_y(lines)), "accuracy lost");
  return panel("Overthinking: best T less the largest T",
               counting_axis(std::max(ours.difficulties.back(), published.difficulties.back()),
                             series.subject.unit),
               std::move(loss), std::move(lines));
}

/// Loop by loop, of the base and of other gates.
std::vector<PlotSeries> reading_series(const RecurrentSeries& series,
                                       const std::function<double(const LoopReading&)>& value) {
  std::vector<PlotSeries> lines;
  SeriesLooks looks;
  const auto add = [&](const RecurrentRunGroup& group, const std::string& name) {
    const std::vector<LoopReading> readings = group.readings();
    if (readings.empty()) return;
    PlotSeries line{
        name, looks.next({kHues[lines.size() % kHues.size()], "", lines.empty() ? 2.2 : 1.4})};
    for (std::size_t loop = 0; loop < readings.size(); ++loop) {
      const PlotPoint at = {loop + 1, value(readings[loop])};
      line.line.push_back(at);
      if (readings.size() <= kMostMarked)
        line.marks.push_back(
            {at, fmt::format("{}, step {}: {}", name, loop + 1, fixed_text(at.second, 3))});
    }
    lines.push_back(std::move(line));
  };
  add(series.base(), "ours");
  for (const RecurrentRunGroup* group : series.of(RecurrentAblation::gate))
    add(*group, ablation_label(group->differences));
  return lines;
}

ChartPanel reading_panel(const RecurrentSeries& series, const std::string& title,
                         const std::function<double(const LoopReading&)>& value) {
  std::vector<PlotSeries> lines = reading_series(series, value);
  Axis y = decimal_axis(std::max(0.1, largest_y(lines)), "");
  std::size_t steps = 1;
  for (const PlotSeries& line : lines) steps = std::max(steps, line.line.size());
  return panel(title, counting_axis(static_cast<double>(steps), "step"), std::move(y),
               std::move(lines));
}

void add_panels(report::Picture& picture, const std::vector<ChartPanel>& panels) {
  report::Strip& strip = picture.strips.emplace_back();
  strip.below = kUnderCharts;
  double left = kPageMargin;
  for (const ChartPanel& panel : panels) {
    const report::Drawing chart = report::drawing(panel.chart);
    strip.parts.push_back({chart, left});
    strip.parts.push_back({report::drawing(panel.legend), left + kLegendLeft, chart.height});
    left += std::max(chart.width, kColumnWidth);
  }
  picture.width = std::max(picture.width, left + kPageMargin);
}

HeatmapPanel heatmap_panel(const RecurrentSubject& subject, const std::string& title,
                           const std::string& subtitle, const AccuracyHeatmap& heatmap,
                           const TrainedRange& trained) {
  HeatmapPanel panel;
  panel.title = title;
  panel.subtitle = subtitle;
  panel.heatmap = heatmap;
  panel.threshold = kSolved;
  panel.rows = subject.rows;
  panel.unit = subject.unit;
  panel.trained = trained;
  return panel;
}

}  // namespace

report::Picture series_picture(const RecurrentSeries& series) {
  const RecurrentSubject& subject = series.subject;
  const RecurrentRunGroup& base = series.base();
  const PublishedHeatmap& published = *subject.published;
  report::Picture picture{"depth-recurrent-" + subject.name + ".svg",
                          subject.name + ": accuracy, frontier and steps", 0, kPageMargin};
  add_heatmaps(picture, {heatmap_panel(subject, subject.name, "ours, " + base.seeds(), base.median,
                                       base.trained()),
                         heatmap_panel(subject, "published", published.source + " of Chen 2026",
                                       published.heatmap, published.trained)});
  add_panels(picture, {frontier_panel(series), overthinking_panel(series)});
  if (!base.readings().empty())
    add_panels(picture,
               {reading_panel(series, "Share of the candidate that the gate lets in",
                              [](const LoopReading& reading) { return reading.gate_share; }),
                reading_panel(series, "Change of the state, relative to the state",
                              [](const LoopReading& reading) { return reading.change; })});
  picture.strips.back().below += kPageMargin;
  return picture;
}

}  // namespace logdepth::inline learned_depth_recurrent
