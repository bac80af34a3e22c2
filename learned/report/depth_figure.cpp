#include "learned/report/depth_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/report/front_figure.hpp"
#include "learned/report/law_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kMargin = 16, kPlotWidth = 680, kPlotHeight = 380;
constexpr double kLegendLeft = 52, kUnderLegend = 16;
/// Room for the stroke of a legend's entry, and for a letter of its text.
constexpr double kLegendStroke = 40, kLegendLetter = 5.9;
constexpr std::size_t kLegendName = 160;
constexpr int kCurveSteps = 32;
// Cool hues for what was constructed, warm ones and green for what was learned.
constexpr std::array kBuilt = {kBlue, kSky};
constexpr std::array kLearned = {kVermilion, kPurple, kGreen, kOrange};

/// A problem as it is drawn.
struct Scene {
  std::vector<PlotArea> areas;
  std::vector<PlotSeries> series;
};

PlotSeries constructed_series(const ConstructedCurve& curve, const SeriesStyle& style) {
  PlotSeries series{curve.construction, style};
  series.name += curve.form == ConstructedCurve::Form::claimed
                     ? ", claimed (not built): " + curve.formula
                     : ", " + curve.encoding + ", " + form_label(curve.form) + ": " + curve.formula;
  for (const auto& [size, depth] : curve.depths)
    series.line.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
  return series;
}

/// log2 of the least and of the largest reach that a law was fitted to.
std::pair<double, double> fitted_range(const DepthFit& fit) {
  double least = 0, most = 0;
  for (const DepthCell& cell : fit.cells) {
    if (!cell.fitted()) continue;
    least = least == 0 ? cell.reach : std::min(least, cell.reach);
    most = std::max(most, cell.reach);
  }
  return {std::log2(least), std::log2(most)};
}

/// Calls `visit` with log2 of sizes within the range of a fit, and with what the shown curve is
/// a function of.
template <class Visit>
void along(const DepthFit& fit, const Visit& visit) {
  const auto [from, to] = fitted_range(fit);
  for (int i = 0; i <= kCurveSteps; ++i) {
    const double x = from + (to - from) * i / kCurveSteps;
    visit(x, fit.shows_line() ? std::exp2(x) : x);
  }
}

/// The law of one choice of seeds; without a line where nothing was fitted.
PlotSeries law_series(const LearnedRow& row, const DepthFit& fit, const SeriesStyle& style) {
  const bool best = fit.choice == SeedChoice::best;
  PlotSeries drawn;
  drawn.name = std::string(row.best.several_seeds == 0 ? ""
                           : best                      ? "best seed: "
                                                       : "median seed: ") +
               fitted_curve_text(row.series, fit);
  drawn.style = style;
  if (!best) drawn.style.dash += (style.dash.empty() ? "5 3" : " 5 3");
  if (fit.fitted())
    along(fit, [&](double x, double argument) {
      drawn.line.emplace_back(x, fit.shown().direct.value(argument));
    });
  return drawn;
}

/// Between the ends of the interval of a law; without corners where there is none. Depths below one
/// layer are drawn at one.
PlotArea band_of(const DepthFit& fit, const std::string& colour) {
  PlotArea band{{}, colour, 0.12, "95 % of the laws of resampled seeds"};
  PlotLine below;
  if (!fit.fitted()) return band;
  along(fit, [&](double x, double argument) {
    const auto depths = fit.shown().depths_at(argument);
    if (!depths) return;
    band.corners.emplace_back(x, std::max(1.0, depths->high));
    below.emplace_back(x, std::max(1.0, depths->low));
  });
  band.corners.insert(band.corners.end(), below.rbegin(), below.rend());
  return band;
}

MarkShape mark_of(const DepthPoint& point) {
  return point.censored    ? MarkShape::ring
         : point.unsettled ? MarkShape::ring_with_arrow
                           : MarkShape::dot;
}

/// What was learned, as points and what they rest on.
PlotSeries points_series(const LearnedSeries& series, const SeriesStyle& style) {
  const std::string name = series_words(series);
  PlotSeries drawn{"learned, " + cut_text(name, kLegendName) + ": " + budget_text(series), style};
  for (const RunPoint& run : series.points) {
    const DepthPoint& point = run.point;
    if (point.reach < 1) continue;
    drawn.marks.push_back(
        {PlotPoint(std::log2(point.reach), point.depth),
         fmt::format("{}, seed {}: depth {}, {}{}{}, {}", name, point.seed,
                     fixed_text(point.depth, 0), series.reach, point.censored ? " >= " : " = ",
                     fixed_text(point.reach, 0), trend_name(run.trend)),
         mark_of(point)});
  }
  return drawn;
}

Scene scene_of(const DepthProblem& problem) {
  Scene scene;
  SeriesLooks looks;
  std::size_t built = 0, learned = 0;
  for (const ConstructedCurve& curve : problem.constructed) {
    if (curve.depths.empty()) continue;
    const SeriesStyle wanted =
        curve.form == ConstructedCurve::Form::claimed
            ? SeriesStyle{kQuietInk, "7 4", 1.6, "claimed"}
            : SeriesStyle{kBuilt[built++ % kBuilt.size()], "", 1.6, "constructed"};
    scene.series.push_back(constructed_series(curve, looks.next(wanted)));
  }
  if (problem.published)
    scene.series.push_back(
        {"published, " + problem.published->source + ": " + problem.published->text,
         looks.next({kBlack, "6 4", 1.6, "published"}), problem.published->corners()});
  for (const LearnedRow& row : problem.learned) {
    const SeriesStyle style = looks.next({kLearned[learned % kLearned.size()], "", 2, "learned",
                                          kSymbols[learned % kSymbols.size()]});
    ++learned;
    scene.series.push_back(points_series(row.series, style));
    scene.series.push_back(law_series(row, row.best, style));
    if (PlotArea band = band_of(row.best, style.colour); !band.corners.empty())
      scene.areas.push_back(std::move(band));
    if (row.best.several_seeds > 0) scene.series.push_back(law_series(row, row.median, style));
  }
  return scene;
}

/// As high as all but claims, which are cut there: what is not built is the deepest by far.
LineChart chart_of(const DepthProblem& problem, const Scene& scene) {
  double right = 0, high = 0, claimed = 1;
  for (const PlotSeries& series : scene.series) {
    double& top = series.style.kind == "claimed" ? claimed : high;
    const auto reach = [&](const PlotPoint& point) {
      right = std::max(right, point.first);
      top = std::max(top, point.second);
    };
    for (const PlotMark& mark : series.marks) reach(mark.at);
    std::ranges::for_each(series.line, reach);
  }
  LineChart chart;
  chart.title = problem.name;
  chart.x = doubling_axis(0, right, problem.size + " (logarithmic)");
  chart.y = counting_axis(high > 0 ? high : claimed, "layers", 10);
  chart.areas = scene.areas;
  for (PlotArea& area : chart.areas)
    for (PlotPoint& corner : area.corners) corner.second = std::min(corner.second, chart.y.to);
  chart.series = scene.series;
  chart.width = kPlotWidth;
  chart.height = kPlotHeight;
  return chart;
}

/// One line for every series, and what hollow points are.
Legend legend_of(const Scene& scene) {
  Legend legend;
  const auto drawn = [&](MarkShape shape) {
    return std::ranges::any_of(scene.series, [&](const PlotSeries& series) {
      return std::ranges::find(series.marks, shape, &PlotMark::shape) != series.marks.end();
    });
  };
  for (const PlotSeries& series : scene.series) {
    LegendEntry entry = legend_entry(series);
    if (!series.marks.empty()) entry.mark = MarkShape::dot;
    legend.entries.push_back(std::move(entry));
  }
  const auto explain = [&](MarkShape shape, const char* meaning) {
    if (drawn(shape)) legend.entries.push_back({meaning, {kQuietInk}, shape, false});
  };
  explain(MarkShape::ring, "right-censored: largest tested length solved; excluded from fits");
  explain(MarkShape::ring_with_arrow, "not plateaued; excluded from fits");
  return legend;
}

/// "depth-A5.svg": what is no letter or digit is a hyphen.
std::string file_name(std::string problem) {
  for (char& c : problem)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '-';
  return "depth-" + problem + ".svg";
}

std::string picture_of(const DepthProblem& problem, const Scene& scene) {
  const Legend legend = legend_of(scene);
  LineChart chart = chart_of(problem, scene);
  for (const LegendEntry& entry : legend.entries) {
    const auto letters = static_cast<double>(entry.name.size());
    chart.width = std::max(chart.width, kLegendStroke + kLegendLetter * letters);
  }
  const double bottom = kMargin + chart_height(chart);
  return svg_document(
      2 * kMargin + chart_width(chart), bottom + legend_height(legend) + kUnderLegend,
      "Depth against size, " + problem.name,
      draw_chart(chart, {kMargin, kMargin}) + draw_legend(legend, {kMargin + kLegendLeft, bottom}));
}

}  // namespace

std::vector<DepthFigure> depth_figures(const DepthTable& table) {
  std::vector<DepthFigure> figures;
  for (const DepthProblem& problem : table.problems)
    if (table.records > 0 && problem.published) {
      figures.push_back({"word problems", "depth.svg", front_picture(table, problem)});
      break;
    }
  for (const DepthProblem& problem : table.problems)
    if (table.records == 0 || !problem.learned.empty() || problem.published)
      figures.push_back(
          {problem.name, file_name(problem.name), picture_of(problem, scene_of(problem))});
  return figures;
}

}  // namespace logdepth::inline learned_report
