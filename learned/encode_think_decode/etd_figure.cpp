#include "learned/encode_think_decode/etd_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/encode_think_decode/published_etd.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/section_stack.hpp"

namespace logdepth {
namespace {

constexpr double kPage = 760, kMargin = 16, kHeading = 28;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kHalf = (kPage - 2 * kMargin) / 2 - 78, kThird = (kPage - 2 * kMargin) / 3 - 78;
constexpr double kHigh = 190, kLow = 130;
constexpr std::size_t kLongestTitle = 90;
/// Of ModelConfig::Router without `none`, in its order.
constexpr std::array kRouterColours = {"#D55E00", "#B4508F", "#7A7A7A"};
constexpr std::array kRouterMarks = {MarkShape::dot, MarkShape::ring, MarkShape::cross};

/// Lines of changes in per cent over k = 1 ... `most`, from 0 at k = 1.
struct Changes {
  std::vector<PlotSeries> lines;
  double lowest = -1, highest = 1;

  void add(PlotSeries& line, double loops, double change, const std::string& text) {
    line.line.emplace_back(loops, change);
    line.marks.push_back({{loops, change}, text});
    lowest = std::min(lowest, change);
    highest = std::max(highest, change);
  }
};

Changes published_changes() {
  Changes changes;
  const auto& rows = published_loops();
  for (std::size_t group = 0; group < kEtdGroups.size(); ++group) {
    PlotSeries line{kEtdGroups[group], {kHues[group]}};
    for (const PublishedLoops& row : rows) {
      const double change = 100 * (row.accuracy[group] / rows.front().accuracy[group] - 1);
      changes.add(line, row.loops, change,
                  fmt::format("{}, k = {}: {} %", line.name, row.loops, signed_text(change, 1)));
    }
    changes.lines.push_back(std::move(line));
  }
  return changes;
}

Changes our_changes(const EtdSection& section) {
  Changes changes;
  for (std::size_t kind = 0; kind < section.kinds.size(); ++kind) {
    PlotSeries line{section.kinds[kind], {kHues[kind % kHues.size()]}};
    for (const EtdSeries* series : section.fixed())
      if (const auto change = section.change(*series, line.name); change && change->relative) {
        const double relative = 100 * change->relative->mean;
        changes.add(line, series->shape.passes, relative,
                    fmt::format("{}, k = {}: {} %{}", line.name, series->shape.passes,
                                signed_text(relative, 1),
                                change->relative->error
                                    ? " ± " + fixed_text(100 * *change->relative->error, 1)
                                    : ""));
      }
    changes.lines.push_back(std::move(line));
  }
  return changes;
}

/// The axis of passes, with room before one pass.
Axis loops_axis(double most, const char* name) {
  Axis axis = counting_axis(most, name);
  axis.from = 0.5;
  std::erase_if(axis.ticks, [](const Tick& tick) { return tick.at < 0.5; });
  return axis;
}

/// A section as rows of charts; y is where the next row begins.
class SectionDrawing {
 public:
  SectionDrawing(const EtdSection& section, double top) : section_(section), y_(top) {}
  double bottom() const { return y_; }

  std::string draw(std::size_t number) {
    std::string svg = svg_text(
        kMargin, y_ + 16, cut_text(fmt::format("{}. {}", number, section_.title()), kLongestTitle),
        "font-size=\"13\" font-weight=\"bold\"");
    y_ += kHeading;
    svg += draw_changes();
    svg += draw_kinds();
    return svg;
  }

 private:
  std::string draw_changes() {
    std::string svg;
    double below = 0, x = kMargin;
    const auto add = [&](const char* title, Changes changes) {
      double most = 2;
      for (const PlotSeries& line : changes.lines)
        for (const PlotPoint& at : line.line) most = std::max(most, at.first);
      LineChart chart{title, loops_axis(most, "loops k"),
                      signed_axis(changes.lowest, changes.highest, "per cent")};
      chart.series = std::move(changes.lines);
      chart.width = kHalf;
      chart.height = kHigh;
      Legend legend;
      legend.columns = 2;
      legend.column_width = kHalf / 2;
      for (const PlotSeries& line : chart.series) legend.entries.push_back(legend_entry(line));
      svg += draw_chart(chart, {x, y_});
      svg += draw_legend(legend, {x + 52, y_ + chart_height(chart)});
      below = std::max(below, chart_height(chart) + legend_height(legend));
      x += chart_width(chart);
    };
    add("published: change to k = 1, OLMo 2 1B", published_changes());
    add("ours: change to k = 1", our_changes(section_));
    y_ += below + kMargin;
    return svg;
  }

  std::string draw_kinds() {
    std::string svg;
    const std::vector<std::string> columns = section_.columns();
    double high = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const LineChart chart = kind_chart(columns[i]);
      const auto column = static_cast<double>(i % 3);
      if (i > 0 && i % 3 == 0) y_ += high;
      high = chart_height(chart);
      svg += draw_chart(chart, {kMargin + column * chart_width(chart), y_});
    }
    y_ += high + kMargin / 2;
    Legend legend;
    legend.columns = 4;
    legend.column_width = (kPage - 2 * kMargin) / 4;
    legend.entries.push_back({"k = 1, 2, ...", fixed_style(), MarkShape::dot});
    for (std::size_t i = 0; i < kRouterColours.size(); ++i)
      legend.entries.push_back(
          {std::string("adaptive, ") + router_name(static_cast<ModelConfig::Router>(i + 1)),
           {kRouterColours[i]},
           kRouterMarks[i],
           false});
    svg += draw_legend(legend, {kMargin, y_});
    y_ += legend_height(legend) + kMargin;
    return svg;
  }

  static SeriesStyle fixed_style() { return {kHues[0], "", 1.8}; }

  LineChart kind_chart(const std::string& kind) const {
    LineChart chart{kind, {}, share_axis("right")};
    chart.width = kThird;
    chart.height = kLow;
    double most = 2;
    PlotSeries fixed{kind + ", fixed k", fixed_style()};
    PlotArea band{{}, kHues[0], 0.15, "one standard error"};
    PlotLine lower;
    for (const EtdSeries* series : section_.fixed())
      if (const auto mean = series->accuracy(kind)) {
        const PlotPoint at = {series->shape.passes, mean->mean};
        fixed.line.push_back(at);
        fixed.marks.push_back(
            {at, fmt::format("k = {}: {}", series->shape.passes, mean_text(*mean))});
        const double error = mean->error.value_or(0);
        band.corners.emplace_back(at.first, std::min(1.0, mean->mean + error));
        lower.emplace_back(at.first, std::max(0.0, mean->mean - error));
        most = std::max(most, at.first);
      }
    band.corners.insert(band.corners.end(), lower.rbegin(), lower.rend());
    chart.areas.push_back(std::move(band));
    chart.series.push_back(std::move(fixed));
    for (const EtdSeries* series : section_.adaptive()) {
      const auto mean = series->accuracy(kind), loops = series->loops(kind);
      if (!mean || !loops) continue;
      const std::size_t router = static_cast<std::size_t>(series->shape.router) - 1;
      chart.series.push_back({shape_name(series->shape), {kRouterColours.at(router)}});
      chart.series.back().marks.push_back(
          {{loops->mean, mean->mean},
           fmt::format("{}: {} in {} passes", shape_name(series->shape), mean_text(*mean),
                       mean_text(*loops)),
           kRouterMarks.at(router)});
      most = std::max(most, loops->mean);
    }
    chart.x = loops_axis(most, "mean passes of the block");
    return chart;
  }

  const EtdSection& section_;
  double y_;
};

}  // namespace

std::string etd_svg(const std::vector<EtdSection>& sections) {
  return stacked_sections_svg<SectionDrawing>(sections, kPage, kMargin,
                                              "Encode, Think, Decode: loops of a block of layers");
}

}  // namespace logdepth
