#include "learned/relit/relit_figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/heatmap.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/section_stack.hpp"

namespace logdepth {
namespace {

constexpr double kPage = 760, kMargin = 16, kHeading = 30, kColumn = (kPage - kMargin) / 2;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kPlotWidth = kColumn - 78, kPlotHeight = 180;
constexpr std::size_t kLegendName = 52;
constexpr const char *kOnceDash = "6 3", *kProbeDash = "2 3";

using Ranges = std::vector<std::pair<double, SeedRange>>;  ///< by x, growing

struct Shown {
  const RelitSeries* series = nullptr;
  SeriesStyle style;
};

/// ReLIT, one pass and linear probes where they were trained on the most samples: a colour for each
/// backbone.
std::vector<Shown> shown_series(const RelitSection& section) {
  std::vector<std::string> backbones;
  std::vector<Shown> shown;
  for (const RelitSeries& series : section.series) {
    const bool once = series.is(RelitMethod::one_pass),
               probe = series.is(RelitMethod::linear_probe);
    if (!once && !probe && !series.changes.empty()) continue;
    if (section.by_samples(series).back() != &series) continue;
    const auto found = std::ranges::find(backbones, series.backbone());
    const auto colour = static_cast<std::size_t>(found - backbones.begin());
    if (found == backbones.end()) backbones.push_back(series.backbone());
    shown.push_back({&series,
                     {kHues[colour % kHues.size()],
                      once    ? kOnceDash
                      : probe ? kProbeDash
                              : "",
                      1.8}});
  }
  return shown;
}

/// A section as one picture; y is where its next row begins.
class SectionDrawing {
 public:
  SectionDrawing(const RelitSection& section, double top)
      : section_(section), shown_(shown_series(section)), y_(top) {}

  double bottom() const { return y_; }
  std::string draw(std::size_t number) {
    std::string svg = svg_text(kMargin, y_ + 18, fmt::format("{}. {}", number, section_.title()),
                               "font-size=\"13\" font-weight=\"bold\"");
    y_ += kHeading;
    svg += row(by_depth(), by_step());
    svg += row(halting_by_depth(), changes());
    const LineChart samples = by_samples();
    const Heatmap histogram = halting_histogram();
    const double left = samples.series.empty() ? 0 : kColumn;
    if (left > 0) svg += draw_chart(samples, {kMargin, y_});
    if (!histogram.rows.empty()) svg += draw_heatmap(histogram, {kMargin + left, y_});
    y_ += std::max(left > 0 ? chart_height(samples) : 0,
                   histogram.rows.empty() ? 0 : heatmap_height(histogram));
    const Legend legend = this->legend();
    svg += draw_legend(legend, {kMargin, y_ + 4});
    y_ += legend_height(legend) + kMargin;
    return svg;
  }

 private:
  std::string row(const LineChart& left, const LineChart& right) {
    std::string svg = draw_chart(left, {kMargin, y_}) + draw_chart(right, {kMargin + kColumn, y_});
    y_ += std::max(chart_height(left), chart_height(right));
    return svg;
  }

  LineChart plot(const std::string& title, Axis x, Axis y) const {
    LineChart chart{title, std::move(x), std::move(y)};
    chart.width = kPlotWidth;
    chart.height = kPlotHeight;
    return chart;
  }

  Axis depth_axis() const { return counting_axis(section_.depths().back(), section_.depth_name()); }
  Axis step_axis() const { return counting_axis(section_.most_macro_steps(), "macro step"); }

  void add_chance(LineChart& chart) const {
    if (const auto chance = section_.chance())
      chart.series.push_back(
          {"guessing", chance_style(), {{chart.x.from, *chance}, {chart.x.to, *chance}}});
  }

  /// Band, line and marks of a series.
  static void add(LineChart& chart, const Shown& shown, const Ranges& ranges, const std::string& x,
                  int digits) {
    if (ranges.empty()) return;
    const std::string name = shown.series->title() + " on " + shown.series->backbone();
    PlotSeries line{name, shown.style};
    PlotArea band{{}, shown.style.colour, 0.12, name + ": all seeds"};
    bool several = false;
    for (const auto& [at, range] : ranges) {
      line.line.emplace_back(at, range.median);
      line.marks.push_back({{at, range.median},
                            fmt::format("{}, {} {}: {}", name, x, short_text(at, 6),
                                        fixed_text(range.median, digits))});
      band.corners.emplace_back(at, range.least);
      several = several || range.seeds > 1;
    }
    for (auto it = ranges.rbegin(); it != ranges.rend(); ++it)
      band.corners.emplace_back(it->first, it->second.most);
    if (several && ranges.size() > 1) chart.areas.push_back(std::move(band));
    chart.series.push_back(std::move(line));
  }

  template <class Number>
  Ranges over_depths(const RelitSeries& series, Number number) const {
    Ranges ranges;
    for (const std::uint32_t depth : section_.depths())
      if (const auto range = series.range([&](const RelitRun& run) { return number(run, depth); }))
        ranges.emplace_back(depth, *range);
    return ranges;
  }

  template <class Number>
  static Ranges over_steps(const RelitSeries& series, Number number) {
    Ranges ranges;
    for (std::size_t step = 1; step <= series.task().macro_steps; ++step)
      if (const auto range = series.range([&](const RelitRun& run) { return number(run, step); }))
        ranges.emplace_back(static_cast<double>(step), *range);
    return ranges;
  }

  LineChart by_depth() const {
    LineChart chart = plot(fmt::format("accuracy at the halt by {}", section_.depth_name()),
                           depth_axis(), share_axis("accuracy"));
    add_chance(chart);
    for (const Shown& shown : shown_)
      add(chart, shown,
          over_depths(*shown.series, [](const RelitRun& run,
                                        std::uint32_t depth) { return run.accuracy_at(depth); }),
          section_.depth_name(), 3);
    return chart;
  }

  LineChart by_step() const {
    LineChart chart = plot("accuracy after each macro step", step_axis(), share_axis("accuracy"));
    add_chance(chart);
    for (const Shown& shown : shown_)
      add(chart, shown,
          over_steps(*shown.series, [](const RelitRun& run,
                                       std::size_t step) { return run.accuracy_after(step); }),
          "macro step", 3);
    return chart;
  }

  LineChart halting_by_depth() const {
    LineChart chart =
        plot(fmt::format("mean halting by {}", section_.depth_name()), depth_axis(),
             counting_axis(section_.most_macro_steps(), "mean macro step of the halt"));
    for (const Shown& shown : shown_)
      if (shown.series->may_halt())
        add(chart, shown,
            over_depths(*shown.series, [](const RelitRun& run,
                                          std::uint32_t depth) { return run.halting_at(depth); }),
            section_.depth_name(), 2);
    return chart;
  }

  LineChart changes() const {
    double most = 0.01;
    std::vector<Ranges> all;
    for (const Shown& shown : shown_) {
      all.push_back(over_steps(*shown.series, [](const RelitRun& run, std::size_t step) {
        return run.change_in(step);
      }));
      for (const auto& [step, range] : all.back()) most = std::max(most, range.most);
    }
    LineChart chart = plot("change of the answer's state", step_axis(),
                           decimal_axis(most, "|change| / |state before|"));
    for (std::size_t i = 0; i < shown_.size(); ++i) add(chart, shown_[i], all[i], "macro step", 3);
    return chart;
  }

  /// Of the series that were trained on several numbers of samples; without them nothing.
  LineChart by_samples() const {
    LineChart chart = plot("accuracy by training samples", {}, share_axis("accuracy"));
    std::vector<std::pair<Shown, Ranges>> all;
    double least = std::numeric_limits<double>::max(), most = 0;
    for (const Shown& shown : shown_) {
      const auto found = section_.by_samples(*shown.series);
      if (found.size() < 2) continue;
      Ranges& ranges = all.emplace_back(shown, Ranges()).second;
      for (const RelitSeries* series : found)
        ranges.emplace_back(std::log2(series->task().training_samples), *series->accuracy());
      least = std::min(least, ranges.front().first);
      most = std::max(most, ranges.back().first);
    }
    if (all.empty()) return chart;
    chart.x = doubling_axis(least, most, "training samples");
    add_chance(chart);
    for (const auto& [shown, ranges] : all) add(chart, shown, ranges, "log2 of the samples", 3);
    return chart;
  }

  /// Of the first base: the share of the samples of each depth that halt after each macro step.
  Heatmap halting_histogram() const {
    Heatmap map;
    const auto bases = section_.bases();
    if (bases.empty()) return map;
    const RelitSeries& base = *bases.front();
    map.title = "share of samples that halt there";
    map.subtitle = cut_text(base.title() + " on " + base.backbone(), kLegendName);
    map.row_name = section_.depth_name();
    map.column_name = "macro step";
    const auto steps = shown_steps(base.task().macro_steps);
    for (const std::size_t step : steps) map.columns.push_back(std::to_string(step));
    const auto add_row = [&](const std::string& name, const std::vector<std::size_t>& counts) {
      double all = 0;
      for (const std::size_t count : counts) all += static_cast<double>(count);
      map.rows.push_back(name);
      map.values.emplace_back();
      for (const std::size_t step : steps)
        map.values.back().push_back(static_cast<double>(counts[step - 1]) / all);
    };
    for (const std::uint32_t depth : section_.depths())
      if (const auto counts = base.halting_at(depth); !counts.empty())
        add_row(std::to_string(depth), counts);
    add_row("all", base.halting());
    return map;
  }

  Legend legend() const {
    Legend legend;
    legend.columns = 2;
    legend.column_width = kColumn;
    for (const Shown& shown : shown_)
      legend.entries.push_back(
          {cut_text(shown.series->title() + " on " + shown.series->backbone(), kLegendName),
           shown.style, MarkShape::dot});
    if (section_.chance()) legend.entries.push_back({"guessing", chance_style()});
    legend.entries.push_back({"from least to most of the seeds", {"#DADADA", "", 10}});
    return legend;
  }

  static SeriesStyle chance_style() { return {kQuietInk, "5 4", 1.2}; }

  const RelitSection& section_;
  std::vector<Shown> shown_;
  double y_;
};

}  // namespace

std::vector<std::size_t> shown_steps(std::size_t steps) {
  constexpr std::size_t kAllOf = 16, kFirst = 8;
  std::vector<std::size_t> shown;
  for (std::size_t step = 1; step <= (steps <= kAllOf ? steps : kFirst); ++step)
    shown.push_back(step);
  for (std::size_t step = 2 * kFirst; steps > kAllOf && step < steps; step *= 2)
    shown.push_back(step);
  if (shown.back() != steps) shown.push_back(steps);
  return shown;
}

std::string relit_figure_svg(const std::vector<RelitSection>& sections) {
  return stacked_sections_svg<SectionDrawing>(sections, kPage, kMargin,
                                              "ReLIT on a frozen language model");
}

}  // namespace logdepth
