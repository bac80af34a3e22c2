#include "learned/latent_reasoning/latent_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/latent_reasoning/latent_verdicts.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/section_stack.hpp"

namespace logdepth {
namespace {

constexpr double kPage = 700, kMargin = 16, kHeading = 30;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kWide = kPage - 2 * kMargin - 78, kHigh = 230;
constexpr double kNarrow = kPage / 2 - kMargin - 78, kLow = 180;
constexpr double kLegendWidth = kPage / 2 - kMargin;
constexpr std::size_t kLegendName = 44;
constexpr const char* kTrainedColour = "#5B84A8";
constexpr double kTrainedOpacity = 0.18;

/// Of latent_rows(), in their order. Chains of thought are of one family.
constexpr std::array kRowColours = {"#7A7A7A", "#7A4B2A", "#B07D00", "#8F6A00", "#D9A300",
                                    "#D55E00", "#B4508F", "#0072B2", "#00875F", kInk};
/// Of further series of a row.
constexpr std::array kRowDashes = {"", "6 3", "2 3", "9 3 2 3"};

using Ranges = std::vector<std::pair<double, report::Range>>;  ///< by x, growing

/// A section as one picture; y is where its next row begins.
class SectionDrawing {
 public:
  SectionDrawing(const LatentSection& section, double top) : section_(section), y_(top) {
    std::map<std::size_t, std::size_t> seen;
    for (const LatentSeries& series : section.series) {
      const std::size_t nth = seen[series.row]++;
      SeriesStyle style{kRowColours.at(series.row)};
      style.dash = series.constructed() ? "3 3" : kRowDashes[nth % kRowDashes.size()];
      style.width = 1.8;
      styles_.push_back(std::move(style));
    }
  }

  double bottom() const { return y_; }
  std::string draw(std::size_t number) {
    std::string svg = svg_text(kMargin, y_ + 18, fmt::format("{}. {}", number, section_.title()),
                               "font-size=\"13\" font-weight=\"bold\"");
    y_ += kHeading;
    const LineChart sizes = by_size();
    svg += draw_chart(sizes, {kMargin, y_});
    y_ += chart_height(sizes);
    const LineChart depths = by_depth(), steps = iterations();
    svg += draw_chart(depths, {kMargin, y_}) + draw_chart(steps, {kPage / 2, y_});
    y_ += chart_height(depths);
    const LineChart errors = recovery();
    svg += draw_chart(errors, {kMargin, y_});
    const Legend legend = this->legend();
    svg += draw_legend(legend, {kPage / 2 + kMargin, y_ + 34});
    y_ += std::max(chart_height(errors), 34 + legend_height(legend)) + kMargin;
    return svg;
  }

 private:
  using Generator = GraphShape::Generator;

  LineChart by_size() const {
    const GraphTaskSettings& task = section_.task();
    const Generator generator = task.graphs.generator;
    const auto all = section_.nodes(generator);
    const double least = std::log2(task.least_nodes), trained = std::log2(task.most_nodes);
    const double most = std::max(trained, std::log2(all.empty() ? 2 : all.back()));
    LineChart chart{"fully solved graphs against their size", doubling_axis(least, most, "nodes N"),
                    share_axis("all values right")};
    chart.width = kWide;
    chart.height = kHigh;
    chart.areas.push_back(
        {{{least, 0}, {trained, 0}, {trained, 1}, {least, 1}},
         kTrainedColour,
         kTrainedOpacity,
         fmt::format("trained on N = {} to {}", task.least_nodes, task.most_nodes)});
    add_all(chart, "N", [&](const LatentSeries& series) {
      return over_nodes(all, [&](std::uint32_t nodes) {
        return series.solved({generator, nodes});
      });
    });
    return chart;
  }

  LineChart by_depth() const {
    const Generator generator = section_.generator_of_depths();
    LineChart chart = narrow("fully solved against depth", share_axis("all values right"));
    add_all(chart, "depth", [&](const LatentSeries& series) {
      return as_ranges(series.solved_by_depth(generator));
    });
    chart.x = counting_axis(most(chart).first, std::string("depth of the graph (") +
                                                   graph_generator_name(generator) + ")");
    return chart;
  }

  LineChart iterations() const {
    LineChart chart = narrow("iterations to the fixed point", {});
    add_all(chart, "depth",
            [](const LatentSeries& series) { return as_ranges(series.iterations_by_depth()); });
    const auto [depth, steps] = most(chart);
    chart.x = counting_axis(depth, "depth of the graph");
    chart.y = counting_axis(std::max(depth, steps), "iterations, mean");
    PlotSeries equal{"iterations = depth", equal_style(), {{0, 0}, {chart.x.to, chart.x.to}}};
    chart.series.insert(chart.series.begin(), std::move(equal));
    return chart;
  }

  LineChart recovery() const {
    const Generator generator = section_.task().graphs.generator;
    const auto all = section_.nodes(generator);
    LineChart chart = narrow("errors mended: a tenth of values replaced",
                             share_axis("hit nodes right in the end"));
    chart.x = doubling_axis(std::log2(all.empty() ? 2 : all.front()),
                            std::log2(all.empty() ? 4 : all.back()), "nodes N");
    chart.series.push_back(
        {"LO-5", limit_style(), {{chart.x.from, kRecovered}, {chart.x.to, kRecovered}}});
    add_all(chart, "N", [&](const LatentSeries& series) {
      return over_nodes(all, [&](std::uint32_t nodes) {
        return series.hit_nodes({generator, nodes});
      });
    });
    return chart;
  }

  Legend legend() const {
    Legend legend;
    legend.column_width = kLegendWidth;
    for (std::size_t i = 0; i < section_.series.size(); ++i) {
      const LatentSeries& series = section_.series[i];
      legend.entries.push_back(
          {cut_text(series.title(), kLegendName), styles_[i], shape_of(series)});
    }
    legend.entries.push_back({"iterations = depth", equal_style()});
    legend.entries.push_back(
        {fmt::format("LO-5 asks for {}", short_text(kRecovered, 3)), limit_style()});
    legend.entries.push_back({"sizes of training graphs", {"#DDE6EE", "", 10}});
    legend.entries.push_back({"from least to most of the seeds", {"#DADADA", "", 10}});
    return legend;
  }

  static SeriesStyle equal_style() { return {kQuietInk, "5 4", 1.2}; }
  static SeriesStyle limit_style() { return {"#A3123B", "2 4", 1.2}; }
  static MarkShape shape_of(const LatentSeries& series) {
    return series.constructed() ? MarkShape::ring : MarkShape::dot;
  }

  static LineChart narrow(const char* title, Axis y) {
    LineChart chart{title, {}, std::move(y)};
    chart.width = kNarrow;
    chart.height = kLow;
    return chart;
  }

  /// The largest coordinates of marks, at least 1.
  static PlotPoint most(const LineChart& chart) {
    PlotPoint most = {1, 1};
    for (const PlotSeries& series : chart.series)
      for (const PlotMark& mark : series.marks)
        most = {std::max(most.first, mark.at.first), std::max(most.second, mark.at.second)};
    for (const PlotArea& area : chart.areas)
      for (const PlotPoint& corner : area.corners)
        most.second = std::max(most.second, corner.second);
    return most;
  }

  static Ranges as_ranges(const std::map<std::uint32_t, report::Range>& by_depth) {
    Ranges ranges;
    for (const auto& [depth, range] : by_depth) ranges.emplace_back(depth, range);
    return ranges;
  }

  /// By log2 of the number of nodes.
  template <class Number>
  static Ranges over_nodes(const std::vector<std::uint32_t>& all, Number number) {
    Ranges ranges;
    for (const std::uint32_t nodes : all)
      if (const std::optional<report::Range> range = number(nodes))
        ranges.emplace_back(std::log2(nodes), *range);
    return ranges;
  }

  /// Band, line and marks of every series. `x`: what titles call it; of N its logarithm is given.
  template <class RangesOf>
  void add_all(LineChart& chart, const std::string& x, RangesOf ranges_of) const {
    for (std::size_t i = 0; i < section_.series.size(); ++i) {
      const LatentSeries& series = section_.series[i];
      const Ranges ranges = ranges_of(series);
      if (ranges.empty()) continue;
      PlotSeries line{series.title(), styles_[i]};
      PlotArea band{{}, styles_[i].colour, 0.15, series.title() + ": all seeds"};
      bool several = false;
      for (const auto& [at, range] : ranges) {
        line.line.emplace_back(at, range.median);
        const double number = x == "N" ? std::round(std::exp2(at)) : at;
        line.marks.push_back({{at, range.median},
                              fmt::format("{}, {} = {}: {}", series.title(), x,
                                          fixed_text(number, 0), range_text(range)),
                              shape_of(series)});
        band.corners.emplace_back(at, range.least);
        several = several || range.seeds > 1;
      }
      for (auto it = ranges.rbegin(); it != ranges.rend(); ++it)
        band.corners.emplace_back(it->first, it->second.most);
      if (several) chart.areas.push_back(std::move(band));
      chart.series.push_back(std::move(line));
    }
  }

  const LatentSection& section_;
  double y_;
  std::vector<SeriesStyle> styles_;  ///< of the section's series
};

}  // namespace

std::string latent_figure_svg(const std::vector<LatentSection>& sections) {
  return stacked_sections_svg<SectionDrawing>(sections, kPage, kMargin,
                                              "Latent-space reasoning on computation graphs");
}

}  // namespace logdepth
