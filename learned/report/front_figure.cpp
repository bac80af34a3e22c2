// What a curve of learned depth is here: n* of a seed at d is the longest length that it answers
// with at most d layers, so a seed that never came to d loops counts with what it reached with fewer. No
// law is fitted: the curve goes through the medians over seeds, its band from the least to the
// largest seed.
#include "learned/report/front_figure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"

namespace logdepth {
namespace {

constexpr double kFrontMargin = 16, kFrontWidth = 304, kFrontHeight = 300;
constexpr double kKeyLeft = 36, kKeyColumn = 384, kUnderKey = 10, kNoteLine = 16;

// A colour for whom a curve is by, Okabe and Ito's; dashes tell apart what has the same one.
constexpr const char *kFrontClaimed = "#6E6E6E", *kFrontRepaired = "#000000",
                     *kFrontOptimised = "#0072B2", *kFrontPublished = "#E69F00";
constexpr std::array kFrontLearned = {"#D55E00", "#CC79A7", "#009E73", "#56B4E9"};

bool is_constant(const ConstructedCurve& curve) {
  return !curve.depths.empty() && std::ranges::all_of(curve.depths, [&](const auto& depth) {
    return depth.second == curve.depths.front().second;
  });
}

std::vector<const ConstructedCurve*> growing(const DepthProblem& problem) {
  std::vector<const ConstructedCurve*> curves;
  for (const ConstructedCurve& curve : problem.constructed)
    if (!curve.depths.empty() && !is_constant(curve)) curves.push_back(&curve);
  return curves;
}

bool same_depths(const DepthProblem& one, const DepthProblem& other) {
  return one.size == other.size &&
         std::ranges::equal(growing(one), growing(other),
                            [](const ConstructedCurve* a, const ConstructedCurve* b) {
                              return a->form == b->form && a->construction == b->construction &&
                                     a->encoding == b->encoding && a->depths == b->depths;
                            });
}

// --- constructed and published -------------------------------------------------------------------

PlotLine line_of(const ConstructedCurve& curve) {
  PlotLine line;
  for (const auto& [size, depth] : curve.depths)
    line.emplace_back(std::log2(static_cast<double>(size)), static_cast<double>(depth));
  return line;
}

/// "2 ⌈log₂ n⌉ + 4 layers" of counts that are this at every doubling; else the formula as it is.
std::string law_of(const ConstructedCurve& curve) {
  const auto line = least_squares(line_of(curve));
  if (!line) return curve.formula;
  const double a = std::round(line->a), b = std::round(line->b);
  const bool exact = std::ranges::all_of(
      line_of(curve), [&](const PlotPoint& at) { return a * at.first + b == at.second; });
  if (!exact) return curve.formula;
  return (a == 1 ? "" : fixed_text(a, 0) + " ") + "⌈log₂ n⌉" +
         (b == 0 ? "" : (b < 0 ? " − " : " + ") + fixed_text(std::fabs(b), 0)) + " layers";
}

/// Every claim, and of what is built for all sizes at once the first repair and the shallowest.
std::vector<PlotSeries> constructed_series(const DepthProblem& shown) {
  using Form = ConstructedCurve::Form;
  std::vector<PlotSeries> drawn;
  const ConstructedCurve *repaired = nullptr, *optimised = nullptr;
  for (const ConstructedCurve* curve : growing(shown)) {
    if (curve->form == Form::claimed) {
      drawn.push_back(
          {fmt::format("claimed, not built: {}: {}", curve->construction, law_of(*curve)),
           {kFrontClaimed, drawn.empty() ? "7 4" : fmt::format("2 {}", 1 + 2 * drawn.size()), 1.6,
            "claimed"},
           line_of(*curve)});
    } else if (curve->file_of > 0) {
      continue;
    } else if (curve->form == Form::repaired) {
      if (repaired == nullptr) repaired = curve;
    } else if (optimised == nullptr ||
               curve->depths.back().second < optimised->depths.back().second) {
      optimised = curve;
    }
  }
  const auto add = [&](const char* form, const ConstructedCurve* curve, const char* colour) {
    if (curve != nullptr)
      drawn.push_back({fmt::format("{}: {}, {}", form, curve->construction, law_of(*curve)),
                       {colour, "", 2.2, "constructed"},
                       line_of(*curve)});
  };
  add("repaired", repaired, kFrontRepaired);
  add("optimised", optimised, kFrontOptimised);
  return drawn;
}

/// A line for each constant depth, with the problems that have it at best.
std::vector<PlotSeries> constant_series(const std::vector<const DepthProblem*>& problems) {
  std::map<std::uint64_t, std::pair<const ConstructedCurve*, std::vector<std::string>>> levels;
  for (const DepthProblem* problem : problems) {
    const ConstructedCurve* best = nullptr;
    for (const ConstructedCurve& curve : problem->constructed)
      if (is_constant(curve) &&
          (best == nullptr || curve.depths.front().second < best->depths.front().second))
        best = &curve;
    if (best == nullptr) continue;
    auto& [curve, names] = levels[best->depths.front().second];
    curve = best;
    names.push_back(problem->name);
  }
  std::vector<PlotSeries> drawn;
  for (const auto& [depth, level] : levels) {
    const auto& [curve, names] = level;
    drawn.push_back({fmt::format("constant: {} for {}, {}", curve->construction, joined(names),
                                 counted(depth, "layer")),
                     {kFrontOptimised, fmt::format("{} 2", 2 + 4 * drawn.size()), 2.2, "constant"},
                     line_of(*curve)});
  }
  return drawn;
}

// --- learned -------------------------------------------------------------------------------------

/// The seeds of a series at each of its depths, each by the most that it reached with no more layers.
std::vector<DepthCell> cells_of(const LearnedSeries& series) {
  std::set<double> depths;
  std::set<std::uint64_t> seeds;
  for (const RunPoint& run : series.points) {
    depths.insert(run.point.depth);
    seeds.insert(run.point.seed);
  }
  std::vector<DepthPoint> most;
  for (const double depth : depths)
    for (const std::uint64_t seed : seeds) {
      const DepthPoint* best = nullptr;
      for (const RunPoint& run : series.points)
        if (run.point.seed == seed && run.point.depth <= depth &&
            (best == nullptr || run.point.reach >= best->reach))
          best = &run.point;
      if (best == nullptr) continue;
      most.push_back(*best);
      most.back().depth = depth;
    }
  return depth_cells(most, SeedChoice::median);
}

struct LearnedCurve {
  std::string problem;
  const LearnedSeries* series = nullptr;
  std::vector<DepthCell> cells;  ///< with a place on the axis

  std::size_t seeds() const { return cells.back().reaches.size(); }
  /// By what one curve of a problem is chosen: seeds, as far as they are asked for, then reach.
  auto rank() const {
    return std::tuple(std::min(seeds(), kSeedsAsked), cells.back().reach, seeds());
  }
};

std::vector<LearnedCurve> learned_curves(const std::vector<const DepthProblem*>& problems) {
  std::vector<LearnedCurve> curves;
  for (const DepthProblem* problem : problems) {
    LearnedCurve best;
    for (const LearnedRow& row : problem->learned) {
      LearnedCurve curve{problem->name, &row.series, cells_of(row.series)};
      std::erase_if(curve.cells, [](const DepthCell& cell) { return cell.reach < 1; });
      if (!curve.cells.empty() && (best.cells.empty() || curve.rank() > best.rank()))
        best = std::move(curve);
    }
    if (!best.cells.empty()) curves.push_back(std::move(best));
  }
  return curves;
}

PlotSeries learned_series(const LearnedCurve& curve, std::size_t number) {
  const std::size_t round = number / kFrontLearned.size();
  PlotSeries drawn{fmt::format("learned: {}, {}, {}", curve.problem, kind_words(*curve.series),
                               counted(curve.seeds(), "seed")),
                   {kFrontLearned[number % kFrontLearned.size()],
                    round == 0 ? "" : fmt::format("{} 3", 3 * round), 2, "learned",
                    kSymbols[number % kSymbols.size()]}};
  for (const DepthCell& cell : curve.cells) {
    const PlotPoint at = {std::log2(cell.reach), cell.depth};
    const bool open = cell.censored || cell.unsettled;
    drawn.line.push_back(at);
    drawn.marks.push_back(
        {at,
         fmt::format("{}, at most {}: n* {} {}, seeds {} to {}", curve.problem,
                     counted(static_cast<std::size_t>(cell.depth), "layer"), open ? ">=" : "=",
                     short_number(cell.reach), short_number(cell.reaches.front()),
                     short_number(cell.reaches.back())),
         open ? MarkShape::ring : MarkShape::dot});
  }
  return drawn;
}

PlotArea band_of(const LearnedCurve& curve, const std::string& colour) {
  PlotArea band{{}, colour, 0.16, curve.problem + ": from the least to the largest seed"};
  for (const DepthCell& cell : curve.cells)
    band.corners.emplace_back(std::log2(std::max(1.0, cell.reaches.front())), cell.depth);
  for (auto cell = curve.cells.rbegin(); cell != curve.cells.rend(); ++cell)
    band.corners.emplace_back(std::log2(cell->reaches.back()), cell->depth);
  return band;
}

// --- the page ------------------------------------------------------------------------------------

struct Extent {
  double right = 1, high = 1;
  void add(const PlotLine& line) {
    for (const auto& [x, y] : line) {
      right = std::max(right, x);
      high = std::max(high, y);
    }
  }
};

LineChart panel(const std::string& title, const Extent& extent, const DepthProblem& shown) {
  LineChart chart;
  chart.title = title;
  chart.x = doubling_axis(0, extent.right, shown.size + " (logarithmic)");
  chart.y = counting_axis(extent.high, "layers", 10);
  chart.width = kFrontWidth;
  chart.height = kFrontHeight;
  return chart;
}

std::vector<std::string> notes_of(const std::vector<LearnedCurve>& curves) {
  std::vector<std::string> notes;
  if (curves.empty()) return notes;
  std::set<std::string> thresholds;
  for (const LearnedCurve& curve : curves) thresholds.insert(percent_text(curve.series->threshold));
  notes.push_back(fmt::format(
      "Learned: the largest n such that a network of at most so many layers answers {} of the "
      "words of n letters, and of every",
      joined({thresholds.begin(), thresholds.end()}, " or ")));
  notes.emplace_back(
      "shorter length. Curve and points: median over seeds; band: from the least to the largest "
      "seed. Hollow: at least, as "
      "nothing longer");
  notes.emplace_back(
      "was tested or the learning curve had not plateaued. Constructed depths are counted on "
      "weights files; the curves join powers of two.");
  if (std::ranges::any_of(
          curves, [](const LearnedCurve& curve) { return curve.series->kind == "adaptive loop"; }))
    notes.emplace_back(
        "A looped transformer is given ⌈log₂ n⌉ loops of one layer: its depth is prescribed, not "
        "chosen by training. ");
  return notes;
}

}  // namespace

std::string front_picture(const DepthTable& table, const DepthProblem& shown) {
  std::vector<const DepthProblem*> problems;
  for (const DepthProblem& problem : table.problems)
    if (same_depths(problem, shown)) problems.push_back(&problem);
  std::vector<PlotSeries> known = constructed_series(shown);
  for (PlotSeries& series : constant_series(problems)) known.push_back(std::move(series));
  if (shown.published)
    known.push_back(
        {fmt::format("published, trained: {}, {}", shown.published->problem, shown.published->text),
         {kFrontPublished, "10 3 2 3", 2.2, "published"},
         shown.published->corners()});
  Extent all, near;
  for (const PlotSeries& series : known) all.add(series.line);

  const std::vector<LearnedCurve> curves = learned_curves(problems);
  std::vector<PlotSeries> learned;
  std::vector<PlotArea> bands;
  for (const LearnedCurve& curve : curves) {
    learned.push_back(learned_series(curve, learned.size()));
    near.add(learned.back().line);
    bands.push_back(band_of(curve, learned.back().style.colour));
    near.add(bands.back().corners);
  }
  near.high *= 2;  // so that constructions are seen above what was learned
  Legend legend{{}, 2, kKeyColumn};
  for (const auto* part : {&known, &learned})
    for (const PlotSeries& series : *part) {
      LegendEntry entry = legend_entry(series);
      if (!series.marks.empty()) entry.mark = MarkShape::dot;
      legend.entries.push_back(std::move(entry));
    }
  LineChart left = panel("constructed, claimed and published", all, shown);
  left.series = known;
  LineChart right = panel("the same, and learned", near, shown);
  right.areas = std::move(bands);
  right.series = std::move(known);
  right.series.insert(right.series.end(), learned.begin(), learned.end());

  const double second = kFrontMargin + chart_width(left), under = kFrontMargin + chart_height(left);
  double y = under + legend_height(legend) + kUnderKey;
  std::string notes;
  for (const std::string& note : notes_of(curves))
    notes += svg_text(kFrontMargin + kKeyLeft, y += kNoteLine, note,
                      "font-size=\"10.5\" " + svg_attribute("fill", kQuietInk));
  return svg_document(second + chart_width(right) + kFrontMargin, y + kFrontMargin,
                      "Depth against size, word problems",
                      draw_chart(left, {kFrontMargin, kFrontMargin}) +
                          draw_chart(right, {second, kFrontMargin}) +
                          draw_legend(legend, {kFrontMargin + kKeyLeft, under}) + notes);
}

}  // namespace logdepth
