#include "learned/latent_reasoning/charts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/latent_reasoning/criteria.hpp"
#include "report/figures/colours.hpp"

namespace logdepth::latent {
namespace {

using report::Data;

constexpr double kPage = 700, kMargin = 16, kHeading = 30;
// Of plots inside their axes: 78 is what stands beside them.
constexpr double kWide = kPage - 2 * kMargin - 78, kHigh = 230;
constexpr double kNarrow = kPage / 2 - kMargin - 78, kLow = 180;
constexpr std::size_t kLegendName = 44;
const SeriesStyle kEqualStyle = {kQuietInk, "5 4", 1.2}, kLimitStyle = {"#A3123B", "2 4", 1.2};

/// Of rows(), in their order. Chains of thought are of one family.
constexpr std::array kRowColours = {kQuietInk,  kSky,    kOrange, kOrange, kOrange,
                                    kVermilion, kPurple, kBlue,   kGreen,  kInk};
/// Of further series of a row.
constexpr std::array kRowDashes = {"", "6 3", "2 3", "9 3 2 3"};

/// The charts of a section.
class Charts {
 public:
  Charts(const Section& section, const std::vector<Data>& series)
      : section_(section), data_(series) {
    std::map<std::size_t, std::size_t> seen;
    SeriesLooks looks;
    for (const Series& one : section.series) {
      const std::size_t nth = seen[one.row]++;
      styles_.push_back(
          looks.next({kRowColours.at(one.row),
                      one.constructed() ? "3 3" : kRowDashes[nth % kRowDashes.size()], 1.8}));
    }
  }

  LineChart by_size() const {
    const GraphTaskSettings& task = section_.task();
    const auto all = section_.nodes(task.graphs.generator);
    const double least = std::log2(task.least_nodes), trained = std::log2(task.most_nodes);
    const double most = std::max(trained, std::log2(all.empty() ? 2 : all.back()));
    LineChart chart =
        plot("fully solved graphs against their size", share_axis("all values right"));
    chart.x = doubling_axis(least, most, "nodes N");
    chart.width = kWide;
    chart.height = kHigh;
    chart.areas.push_back(
        {{{least, 0}, {trained, 0}, {trained, 1}, {least, 1}},
         "#5B84A8",
         0.18,
         fmt::format("trained on N = {} to {}", task.least_nodes, task.most_nodes)});
    add_all(chart, "solved");
    return chart;
  }

  LineChart by_depth() const {
    LineChart chart = plot("fully solved against depth", share_axis("all values right"));
    add_all(chart, "solved_by_depth");
    chart.x = counting_axis(report::largest(chart, {1, 1}).first,
                            std::string("depth of the graph (") +
                                graph_generator_name(section_.generator_of_depths()) + ")");
    return chart;
  }

  LineChart iterations() const {
    LineChart chart = plot("iterations to the fixed point", {});
    add_all(chart, "iterations_by_depth");
    const auto [depth, steps] = report::largest(chart, {1, 1});
    chart.x = counting_axis(depth, "depth of the graph");
    chart.y = counting_axis(std::max(depth, steps), "iterations, mean");
    chart.series.insert(
        chart.series.begin(),
        PlotSeries{"iterations = depth", kEqualStyle, {{0, 0}, {chart.x.to, chart.x.to}}});
    return chart;
  }

  LineChart recovery() const {
    const auto all = section_.nodes(section_.task().graphs.generator);
    LineChart chart =
        plot("errors mended: a tenth of values replaced", share_axis("hit nodes right in the end"));
    chart.x = doubling_axis(std::log2(all.empty() ? 2 : all.front()),
                            std::log2(all.empty() ? 4 : all.back()), "nodes N");
    const double limit = kRecovered.limit;
    chart.series.push_back({"LO-5", kLimitStyle, {{chart.x.from, limit}, {chart.x.to, limit}}});
    add_all(chart, "hit_nodes");
    return chart;
  }

  Legend legend() const {
    Legend legend;
    legend.column_width = kPage / 2 - kMargin;
    for (std::size_t i = 0; i < section_.series.size(); ++i)
      legend.entries.push_back(
          {cut_text(section_.series[i].title(), kLegendName), styles_[i], shape(i)});
    legend.entries.push_back({"iterations = depth", kEqualStyle});
    legend.entries.push_back(
        {fmt::format("LO-5 requires {}", short_text(kRecovered.limit, 3)), kLimitStyle});
    legend.entries.push_back({"sizes of training graphs", {"#DDE6EE", "", 10}});
    legend.entries.push_back({"from least to most of the seeds", {"#DADADA", "", 10}});
    return legend;
  }

 private:
  MarkShape shape(std::size_t i) const {
    return section_.series[i].constructed() ? MarkShape::ring : MarkShape::dot;
  }

  static LineChart plot(const char* title, Axis y) {
    LineChart chart{title, {}, std::move(y)};
    chart.width = kNarrow;
    chart.height = kLow;
    return chart;
  }

  /// Every series over the depths of a list, or over the sizes of the section's generator in it.
  void add_all(LineChart& chart, const char* list) const {
    const std::string generator = graph_generator_name(section_.task().graphs.generator);
    for (std::size_t i = 0; i < data_.size(); ++i) {
      report::Curve curve{section_.series[i].title(), styles_[i], {}, shape(i)};
      for (const Data& entry : data_[i].at(list)) {
        const bool depth = entry.contains("depth");
        if (!depth && entry.at("generator") != generator) continue;
        const auto x = entry.at(depth ? "depth" : "nodes").get<double>();
        curve.points.push_back({depth ? x : std::log2(x), entry,
                                fmt::format("{}, {} = {}: {}", curve.name, depth ? "depth" : "N",
                                            fixed_text(x, 0), report::cell_text(entry))});
      }
      std::ranges::sort(curve.points, {}, &report::CurvePoint::x);
      report::add_curve(chart, curve);
    }
  }

  const Section& section_;
  const std::vector<Data>& data_;
  std::vector<SeriesStyle> styles_;  ///< of the section's series
};

}  // namespace

std::vector<report::Strip> section_strips(const Section& section, const std::vector<Data>& series,
                                          std::size_t number) {
  using report::drawing;
  const Charts charts(section, series);
  return {
      {{{report::heading(fmt::format("{}. {}", number, section.title()), kHeading, 18), kMargin}}},
      {{{drawing(charts.by_size()), kMargin}}},
      {{{drawing(charts.by_depth()), kMargin}, {drawing(charts.iterations()), kPage / 2}}},
      {{{drawing(charts.recovery()), kMargin}, {drawing(charts.legend()), kPage / 2 + kMargin, 34}},
       kMargin}};
}

report::Picture methods_picture() {
  return {"latent-reasoning.svg", "Latent-space reasoning on computation graphs", kPage, kMargin};
}

}  // namespace logdepth::latent
