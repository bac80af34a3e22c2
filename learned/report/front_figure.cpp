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
#include <optional>
#include <set>
#include <tuple>

#include "base/number_text.hpp"
#include "base/phrases.hpp"
#include "learned/report/law_text.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/picture.hpp"

namespace logdepth::inline learned_report {
namespace {

constexpr double kFrontMargin = 16, kFrontWidth = 342, kFrontHeight = 270;
constexpr double kKeyTop = 44, kGroupWidth = 114, kGroupHeight = 130, kNoteLine = 16;
constexpr std::size_t kGroupsInRow = 4;

// A colour for whom a curve is by; dashes tell apart what has the same one.
constexpr const char *kClaimed = kQuietInk, *kRepaired = kBlack, *kOptimised = kBlue,
                     *kPublished = kOrange;
constexpr std::array kLearnedHues = {kVermilion, kPurple, kGreen, kSky};

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

/// ", 2 layers per doubling".
std::string slope_of(const std::optional<double>& slope) {
  if (!slope) return "";
  return fmt::format(", {} layer{} per doubling", short_number(*slope), *slope == 1 ? "" : "s");
}

/// Every claim, and of what is built for all sizes at once the first repair and the shallowest.
std::vector<PlotSeries> constructed_series(const DepthProblem& shown, SeriesLooks& looks) {
  using Form = ConstructedCurve::Form;
  std::vector<PlotSeries> drawn;
  const ConstructedCurve *repaired = nullptr, *optimised = nullptr;
  for (const ConstructedCurve* curve : growing(shown)) {
    if (curve->form == Form::claimed) {
      drawn.push_back({"claimed: " + curve->construction + slope_of(curve->slope),
                       looks.next({kClaimed, drawn.empty() ? "7 4" : "2 3", 1.6, "claimed"}),
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
  const auto add = [&](const std::string& form, const ConstructedCurve* curve, const char* colour) {
    if (curve != nullptr)
      drawn.push_back({form + curve->construction + slope_of(curve->slope),
                       looks.next({colour, "", 2.2, "constructed"}), line_of(*curve)});
  };
  add("repaired: ", repaired, kRepaired);
  add("optimised: ", optimised, kOptimised);
  return drawn;
}

/// The problems that are best solved at one constant depth, with its line.
struct ConstantDepth {
  std::vector<std::string> problems;
  PlotSeries series;
};

std::vector<ConstantDepth> constant_depths(const std::vector<const DepthProblem*>& problems,
                                           SeriesLooks& looks) {
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
  std::vector<ConstantDepth> constants;
  for (const auto& [depth, level] : levels) {
    const auto& [curve, names] = level;
    constants.push_back(
        {names,
         {fmt::format("constant: {} for {}, {}", curve->construction, joined(names),
                      counted(depth, "layer")),
          looks.next({kOptimised, constants.empty() ? "2 2" : "6 2", 2.2, "constant"}),
          line_of(*curve)}});
  }
  return constants;
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
    return std::tuple(std::min(seeds(), report::kSeedsAsked), cells.back().reach, seeds());
  }
};

std::vector<LearnedCurve> learned_curves(const std::vector<const DepthProblem*>& problems) {
  std::vector<LearnedCurve> curves;
  for (const DepthProblem* problem : problems) {
    LearnedCurve best;
    for (const LearnedRow& row : problem->learned) {
      if (row.series.control()) continue;
      LearnedCurve curve{problem->name, &row.series, cells_of(row.series)};
      std::erase_if(curve.cells, [](const DepthCell& cell) { return cell.reach < 1; });
      if (!curve.cells.empty() && (best.cells.empty() || curve.rank() > best.rank()))
        best = std::move(curve);
    }
    if (!best.cells.empty()) curves.push_back(std::move(best));
  }
  return curves;
}

PlotSeries learned_series(const LearnedCurve& curve, const SeriesStyle& style) {
  PlotSeries drawn{fmt::format("learned: {}, {}, {}", curve.problem, kind_words(*curve.series),
                               counted(curve.seeds(), "seed")),
                   style};
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

std::vector<std::string> notes_of(const std::vector<LearnedCurve>& curves) {
  std::vector<std::string> notes = {
      "Constructed depths are counted on weights files; claims are formulas of the theorems, which "
      "are not built."};
  if (curves.empty()) return notes;
  std::set<std::string> thresholds;
  for (const LearnedCurve& curve : curves) thresholds.insert(percent_text(curve.series->threshold));
  notes.push_back(fmt::format(
      "Learned: the largest n such that a network of at most d layers answers at least {} of the "
      "words, at n and at every shorter length.",
      joined({thresholds.begin(), thresholds.end()}, " or ")));
  notes.emplace_back(
      "Curve and points: median over seeds; band: from the least to the largest seed. Hollow: a "
      "lower bound, as nothing longer was");
  notes.emplace_back(
      "tested or the learning curve had not plateaued. No law is fitted to so few depths.");
  if (std::ranges::any_of(
          curves, [](const LearnedCurve& curve) { return curve.series->kind == "adaptive loop"; }))
    notes.emplace_back(
        "A looped transformer is given ⌈log₂ n⌉ iterations of its block: its depth is prescribed, "
        "not chosen by training.");
  return notes;
}

report::Drawing line_of(const std::string& note) {
  return {0, kNoteLine, [note](PlotPoint corner) {
            return svg_text(corner.first, corner.second + kNoteLine, note,
                            "font-size=\"11\" " + svg_attribute("fill", kQuietInk));
          }};
}

class FrontPicture {
 public:
  FrontPicture(const DepthTable& table, const DepthProblem& shown) : shown_(shown) {
    std::vector<const DepthProblem*> problems;
    for (const DepthProblem& problem : table.problems)
      if (same_depths(problem, shown)) problems.push_back(&problem);
    SeriesLooks looks;
    growing_ = constructed_series(shown, looks);
    constants_ = constant_depths(problems, looks);
    if (const auto& line = shown.published)
      published_ =
          PlotSeries{fmt::format("published: {}, trained{}", line->problem, slope_of(line->a)),
                     looks.next({kPublished, "10 3 2 3", 2.2, "published"}), line->corners()};
    curves_ = learned_curves(problems);
    for (const LearnedCurve& curve : curves_) {
      const std::size_t number = learned_.size();
      learned_.push_back(
          learned_series(curve, looks.next({kLearnedHues[number % kLearnedHues.size()], "", 2,
                                            "learned", kSymbols[number % kSymbols.size()]})));
      bands_.push_back(band_of(curve, learned_.back().style.colour));
      for (const auto& [x, y] : bands_.back().corners)
        near_ = {std::max(near_.first, x), std::max(near_.second, y)};
    }
  }

  std::string draw() const {
    using report::drawing, report::Strip;
    const LineChart known = known_chart();
    const double column = chart_width(group_chart());
    report::Picture picture{"", "Depth against size, word problems",
                            2 * kFrontMargin + kGroupsInRow * column, kFrontMargin};
    picture.strips.push_back(
        Strip{{{drawing(known), kFrontMargin, 0},
               {drawing(legend()), kFrontMargin + chart_width(known), kKeyTop}}});
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      if (i % kGroupsInRow == 0) picture.strips.emplace_back();
      picture.strips.back().parts.push_back(
          {drawing(group_chart(i)), kFrontMargin + column * static_cast<double>(i % kGroupsInRow),
           0});
    }
    for (const std::string& note : notes_of(curves_))
      picture.strips.push_back(Strip{{{line_of(note), 2 * kFrontMargin, 0}}});
    picture.strips.back().below = kFrontMargin;
    return picture_svg(picture);
  }

 private:
  /// What is known of all problems.
  LineChart known_chart() const {
    LineChart chart;
    chart.title = "constructed, claimed and published";
    chart.series = growing_;
    for (const ConstantDepth& constant : constants_) chart.series.push_back(constant.series);
    if (published_) chart.series.push_back(*published_);
    const auto [right, high] = report::largest(chart, {1, 1});
    chart.x = doubling_axis(0, right, shown_.size + " (logarithmic)");
    chart.y = counting_axis(high, "layers", 10);
    chart.width = kFrontWidth;
    chart.height = kFrontHeight;
    return chart;
  }

  LineChart group_chart() const {
    LineChart chart;
    chart.width = kGroupWidth;
    chart.height = kGroupHeight;
    return chart;
  }

  /// What was learned of one problem, on what is known of it.
  LineChart group_chart(std::size_t i) const {
    const std::string& problem = curves_[i].problem;
    LineChart chart = group_chart();
    chart.title = "learned: " + problem;
    chart.x = doubling_axis(0, near_.first, shown_.size);
    chart.y = counting_axis(near_.second + 1, i % kGroupsInRow == 0 ? "layers" : "", 4);
    chart.areas = {bands_[i]};
    chart.series = growing_;
    for (const ConstantDepth& constant : constants_)
      if (std::ranges::count(constant.problems, problem) > 0)
        chart.series.push_back(constant.series);
    if (published_ && problem == shown_.name) chart.series.push_back(*published_);
    chart.series.push_back(learned_[i]);
    return chart;
  }

  Legend legend() const {
    Legend legend;
    for (const PlotSeries& series : known_chart().series)
      legend.entries.push_back(legend_entry(series));
    for (const PlotSeries& series : learned_) {
      legend.entries.push_back(legend_entry(series));
      legend.entries.back().mark = MarkShape::dot;
    }
    return legend;
  }

  const DepthProblem& shown_;
  std::vector<PlotSeries> growing_;
  std::vector<ConstantDepth> constants_;
  std::optional<PlotSeries> published_;
  std::vector<LearnedCurve> curves_;
  std::vector<PlotSeries> learned_;  ///< of the curves
  std::vector<PlotArea> bands_;      ///< likewise
  PlotPoint near_ = {1, 1};          ///< the largest of their corners
};

}  // namespace

std::string front_picture(const DepthTable& table, const DepthProblem& shown) {
  return FrontPicture(table, shown).draw();
}

}  // namespace logdepth::inline learned_report
