#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"
#include "learned/report/need_report.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kNeedMargin = 16, kNeedWidth = 340, kNeedHeight = 230;
constexpr std::size_t kNeedsInRow = 2;
/// Of the marks of seeds that stand at one place, in layers.
constexpr double kApart = 0.06;

/// NeedLooks by what a curve is, the same in every chart.
class NeedLooks {
 public:
  const SeriesStyle& of(const std::string& name, const SeriesStyle& wanted) {
    const auto found = given_.find(name);
    if (found != given_.end()) return found->second;
    order_.push_back(name);
    return given_.emplace(name, looks_.next(wanted)).first->second;
  }
  Legend legend(const std::set<std::string>& marked) const {
    Legend legend;
    for (const std::string& name : order_)
      legend.entries.push_back(
          {name, given_.at(name), marked.contains(name) ? MarkShape::dot : MarkShape::none});
    legend.columns = 2;
    legend.column_width = (kNeedMargin + kNeedWidth) * 1.1;
    return legend;
  }

 private:
  SeriesLooks looks_;
  std::map<std::string, SeriesStyle> given_;
  std::vector<std::string> order_;
};

bool constant(const ConstructedCurve& curve) {
  return std::ranges::all_of(
      curve.depths, [&](const auto& depth) { return depth.second == curve.depths.front().second; });
}

/// What is built, each construction once: that of its first encoding.
std::vector<PlotSeries> constructed_series(const DepthProblem& problem, NeedLooks& looks) {
  std::vector<PlotSeries> drawn;
  std::set<std::string> seen;
  for (const ConstructedCurve& curve : problem.constructed) {
    if (curve.form == ConstructedCurve::Form::claimed || curve.depths.empty() ||
        !seen.insert(curve.construction).second)
      continue;
    const bool flat = constant(curve);
    const std::string name =
        "constructed: " + curve.construction + (flat ? ", constant depth" : "");
    PlotSeries series{name, looks.of(name, {flat ? kGreen : kBlue, "", 2, "constructed"})};
    for (const auto& [size, depth] : curve.depths)
      series.line.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
    drawn.push_back(std::move(series));
  }
  return drawn;
}

/// The seeds of each depth, with a line through the medians.
PlotSeries learned_series(const NeedSeries& series, const SeriesStyle& style,
                          const std::string& name) {
  PlotSeries drawn{name, style};
  for (const NeedDepth& depth : series.depths) {
    const auto layers = static_cast<double>(depth.layers);
    if (depth.median() >= 1) drawn.line.emplace_back(std::log2(depth.median()), layers);
    std::map<double, std::size_t> there;
    for (const NeedSeed& seed : depth.seeds) {
      if (seed.reach < 1) continue;
      const double shift = kApart * static_cast<double>(there[seed.reach]++);
      drawn.marks.push_back({{std::log2(seed.reach), layers + shift},
                             fmt::format("{}, seed {}, {}: n* {} {}", series.problem, seed.seed,
                                         counted(depth.layers, "layer"), seed.settled() ? "=" : "≥",
                                         short_number(seed.reach)),
                             seed.settled() ? MarkShape::dot : MarkShape::ring});
    }
  }
  return drawn;
}

PlotArea band_of(const NeedSeries& series, const std::string& colour) {
  PlotArea band{{}, colour, 0.14, series.problem + ": from the least to the largest seed"};
  for (const NeedDepth& depth : series.depths)
    band.corners.emplace_back(std::log2(std::max(1.0, depth.least())), depth.layers);
  for (auto depth = series.depths.rbegin(); depth != series.depths.rend(); ++depth)
    band.corners.emplace_back(std::log2(std::max(1.0, depth->most())), depth->layers);
  return band;
}

LineChart chart_of(const DepthProblem& problem, const std::vector<NeedSeries>& all,
                   NeedLooks& looks, std::set<std::string>& marked) {
  static const std::map<std::string, const char*> kColours = {{"loop", kVermilion},
                                                              {"stack", kPurple}};
  LineChart chart;
  chart.title = problem.name;
  chart.width = kNeedWidth;
  chart.height = kNeedHeight;
  chart.series = constructed_series(problem, looks);
  if (const auto& line = problem.published) {
    const std::string name = "published: " + line->source + ", " + line->text;
    chart.series.push_back(
        {name, looks.of(name, {kOrange, "10 3 2 3", 2.2, "published"}), line->corners()});
  }
  double right = 6, high = 6;  // as far as the published line is of use
  for (const NeedSeries& series : all) {
    if (series.problem != problem.name) continue;
    const std::string name = fmt::format("learned: {} of fixed depth, width {}, {} steps",
                                         series.kind, series.width, series.steps);
    const SeriesStyle& style = looks.of(name, {kColours.at(series.kind), "", 2, "learned"});
    marked.insert(name);
    if (series.depths.size() > 1) chart.areas.push_back(band_of(series, style.colour));
    chart.series.push_back(learned_series(series, style, name));
    for (const NeedDepth& depth : series.depths) {
      right = std::max(right, std::log2(std::max(1.0, depth.most())));
      high = std::max(high, depth.layers + 1.0);
    }
  }
  chart.x = doubling_axis(0, right, problem.size + " (logarithmic)");
  chart.y = counting_axis(high, "layers", 10);
  return chart;
}

}  // namespace

report::Picture need_picture(const DepthTable& table, const std::vector<NeedSeries>& series) {
  NeedLooks looks;
  std::set<std::string> marked;
  std::vector<LineChart> charts;
  for (const DepthProblem& problem : table.problems)
    if (std::ranges::any_of(series,
                            [&](const NeedSeries& one) { return one.problem == problem.name; }))
      charts.push_back(chart_of(problem, series, looks, marked));
  double column = 0;
  for (const LineChart& chart : charts) column = std::max(column, chart_width(chart));
  report::Picture picture{"need.svg", "Layers that a length needs",
                          2 * kNeedMargin + kNeedsInRow * column, kNeedMargin};
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (i % kNeedsInRow == 0) picture.strips.emplace_back();
    picture.strips.back().parts.push_back(
        {report::drawing(charts[i]), kNeedMargin + column * static_cast<double>(i % kNeedsInRow),
         0});
  }
  picture.strips.push_back(
      report::Strip{{{report::drawing(looks.legend(marked)), 2 * kNeedMargin, 0}}, kNeedMargin});
  return picture;
}

}  // namespace logdepth::inline learned_report
