#include "learned/report/depth_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/number_text.hpp"
#include "base/xml_text.hpp"
#include "learned/report/law_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth {
namespace {

constexpr double kMargin = 16, kPlotWidth = 680, kPlotHeight = 380;
constexpr double kLegendLeft = 52, kUnderLegend = 16;
/// Room for the stroke of a legend's entry, and for a letter of its text.
constexpr double kLegendStroke = 40, kLegendLetter = 5.9;
constexpr std::size_t kLegendName = 120, kShortName = 96;
constexpr int kCurveSteps = 32;
constexpr const char* kPublishedColour = "#000000";
/// Okabe and Ito's hues, darkened for lines on white, for what was learned; lighter ones follow.
constexpr std::array<const char*, 12> kLearned = {"#D55E00", "#B4508F", "#00875F", "#6A3D9A",
                                                  "#B07D00", "#A3123B", "#7A4B2A", "#5F6B00",
                                                  "#E07BB5", "#45B36B", "#9C7BD6", "#D9A62E"};
/// Cool and quiet ones for what was constructed.
constexpr std::array<const char*, 2> kClaimed = {"#6E6E6E", "#9A9A9A"};
constexpr std::array<const char*, 2> kClaimedDash = {"7 4", "2 3"};
constexpr std::array<const char*, 5> kBuilt = {"#0072B2", "#56B4E9", "#2F4B8F", "#3BA7A0",
                                               "#7FA6D6"};

/// A point over the axes, both logarithmic. Depths that have no logarithm are far below.
PlotPoint placed(double log_size, double depth) {
  constexpr double kLeastDepth = 1.0 / 16;
  return {log_size, std::log2(std::max(depth, kLeastDepth))};
}

/// A problem as it is drawn.
struct Scene {
  std::vector<PlotArea> areas;
  std::vector<PlotSeries> series;
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
    series.line.push_back(placed(std::log2(static_cast<double>(size)), static_cast<double>(depth)));
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
PlotSeries law_series(const LearnedRow& row, const DepthFit& fit, const std::string& colour) {
  const bool best = fit.choice == SeedChoice::best;
  PlotSeries drawn;
  drawn.name = std::string(row.best.several_seeds == 0 ? ""
                           : best                      ? "best seed: "
                                                       : "median seed: ") +
               fitted_curve_text(row.series, fit);
  drawn.style = {colour, best ? "" : "5 3", 2, "learned"};
  if (fit.fitted())
    along(fit, [&](double x, double argument) {
      drawn.line.push_back(placed(x, fit.shown().direct.value(argument)));
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
    band.corners.push_back(placed(x, std::max(1.0, depths->high)));
    below.push_back(placed(x, std::max(1.0, depths->low)));
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
PlotSeries points_series(const LearnedSeries& series, const std::string& colour) {
  const std::string name = series_title(series);
  PlotSeries drawn{"learned, " + cut_text(name, kLegendName) + ": " + budget_text(series),
                   {colour, "", 2, "learned"}};
  for (const RunPoint& run : series.points) {
    const DepthPoint& point = run.point;
    if (point.reach < 1) continue;
    drawn.marks.push_back(
        {placed(std::log2(point.reach), point.depth),
         fmt::format("{}, seed {}: depth {}, {}{}{}, {}", name, point.seed,
                     fixed_text(point.depth, 0), series.reach, point.censored ? " >= " : " = ",
                     fixed_text(point.reach, 0), trend_name(run.trend)),
         mark_of(point)});
  }
  return drawn;
}

PlotSeries published_series(const PublishedLine& line) {
  PlotSeries drawn{"published, " + line.source + ": " + line.text,
                   {kPublishedColour, "6 4", 1.6, "published"}};
  for (int i = 0; i <= kCurveSteps; ++i) {
    const double x = line.first * std::pow(line.last / line.first, double(i) / kCurveSteps);
    drawn.line.push_back(placed(std::log2(x), line.value(std::min(x, line.last))));
  }
  return drawn;
}

Scene scene_of(const DepthProblem& problem) {
  Scene scene;
  std::size_t claimed = 0, built = 0, learned = 0;
  for (const ConstructedCurve& curve : problem.constructed) {
    if (curve.depths.empty()) continue;
    scene.series.push_back(constructed_series(curve, claimed, built));
    ++(curve.form == ConstructedCurve::Form::claimed ? claimed : built);
  }
  if (problem.published) scene.series.push_back(published_series(*problem.published));
  for (const LearnedRow& row : problem.learned) {
    const std::string colour = kLearned[learned++ % kLearned.size()];
    scene.series.push_back(points_series(row.series, colour));
    scene.series.push_back(law_series(row, row.best, colour));
    if (PlotArea band = band_of(row.best, colour); !band.corners.empty())
      scene.areas.push_back(std::move(band));
    if (row.best.several_seeds > 0) scene.series.push_back(law_series(row, row.median, colour));
  }
  return scene;
}

LineChart chart_of(const DepthProblem& problem, const Scene& scene) {
  double right = 0, high = 1;
  const auto reach = [&](const PlotPoint& point) {
    right = std::max(right, point.first);
    high = std::max(high, point.second);
  };
  for (const PlotSeries& series : scene.series) {
    for (const PlotMark& mark : series.marks) reach(mark.at);
    std::ranges::for_each(series.line, reach);
  }
  for (const PlotArea& area : scene.areas) std::ranges::for_each(area.corners, reach);
  LineChart chart;
  chart.title = problem.name;
  chart.x = doubling_axis(0, right, problem.size + " (logarithmic)");
  chart.y = doubling_axis(0, high, "layers (logarithmic)");
  chart.areas = scene.areas;
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
  explain(MarkShape::ring, "censored: nothing larger was asked for; in no fit");
  explain(MarkShape::ring_with_arrow, "not settled: training still changed it; in no fit");
  return legend;
}

/// Points and law in one series, with one short name.
PlotSeries row_series(const std::string& problem, const LearnedRow& row,
                      const std::string& colour) {
  PlotSeries drawn = points_series(row.series, colour);
  drawn.name = fmt::format("learned, {}, {}, width {}: ", problem,
                           cut_text(series_name(row.series), kShortName), row.series.width);
  const DepthFit& law = row.law();
  if (!law.fitted()) {
    drawn.name += "open";
    return drawn;
  }
  drawn.line = law_series(row, law, colour).line;
  drawn.name += (law.choice == SeedChoice::median ? "median seed, " : "") +
                line_text(law.shown().direct.a, law.shown().direct.b,
                          law_argument(row.series, law.shows_line())) +
                "; " + open_depths_text(law);
  return drawn;
}

bool same_depths(const DepthProblem& one, const DepthProblem& other) {
  return one.size == other.size &&
         std::ranges::equal(one.constructed, other.constructed,
                            [](const ConstructedCurve& a, const ConstructedCurve& b) {
                              return a.form == b.form && a.construction == b.construction &&
                                     a.encoding == b.encoding && a.depths == b.depths;
                            });
}

/// Everything that is known of the problems that the same constructions solve at the same depths,
/// as of the word problems of all groups: one panel, a line in the legend for each thing.
Scene common_scene(const DepthTable& table, const DepthProblem& shown) {
  DepthProblem bare = shown;
  bare.learned.clear();
  Scene scene = scene_of(bare);
  std::size_t learned = 0;
  for (const DepthProblem& problem : table.problems) {
    if (!same_depths(problem, shown)) continue;
    for (const LearnedRow& row : problem.learned) {
      const std::string colour = kLearned[learned++ % kLearned.size()];
      scene.series.push_back(row_series(problem.name, row, colour));
      if (PlotArea band = band_of(row.law(), colour); !band.corners.empty())
        scene.areas.push_back(std::move(band));
    }
  }
  return scene;
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
      DepthProblem all = problem;
      all.name = "word problems";
      figures.push_back({all.name, "depth.svg", picture_of(all, common_scene(table, problem))});
      break;
    }
  for (const DepthProblem& problem : table.problems)
    if (table.records == 0 || !problem.learned.empty() || problem.published)
      figures.push_back(
          {problem.name, file_name(problem.name), picture_of(problem, scene_of(problem))});
  return figures;
}

}  // namespace logdepth
