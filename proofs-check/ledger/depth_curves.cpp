#include "proofs-check/ledger/depth_curves.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/passes/compile.hpp"
#include "logdepth/errors.hpp"
#include "report/figures/colours.hpp"
#include "report/figures/line_chart.hpp"
#include "report/figures/table_text.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline proofs_check_ledger {
namespace {

constexpr double kLegendWidth = 250, kLegendTop = 28;

struct Subject {
  std::string name, unit;
  std::vector<std::uint64_t> sizes;
};

/// Sizes on both sides of every step of the depths that occur.
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> kSubjects = {
      {"regular languages", "letters", {1,  2,  3,  4,   5,   8,   9,   16,  17,  32,
                                        33, 64, 65, 128, 129, 256, 257, 512, 513, 1024}},
      {"graph connectivity", "vertices", {1, 2, 3, 4, 5, 6, 8, 9, 10, 16, 17, 18, 32, 33, 34, 64}}};
  return kSubjects;
}

/// Counted on the file for everything up to n, or absent where no file is that large.
std::optional<std::uint64_t> counted_depth(const Model& model, std::uint64_t n) {
  if (n > largest_size(model).value_or(n)) return std::nullopt;
  return depth_at(model, n);
}

DepthSeries claimed_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = claim.id + " claimed";
  series.claimed = true;
  series.formula = claim.claimed.text;
  for (const std::uint64_t n : sizes) series.depths.emplace_back(claim.claimed.depth(n));
  return series;
}

DepthSeries measured_series(const Claim& claim, const std::vector<std::uint64_t>& sizes) {
  DepthSeries series;
  series.name = full_name(claim);
  series.form = claim.form;
  if (!claim.family) {
    const Model model = compile(claim.instances.front().program()).model;
    series.formula = depth_formula(model);
    for (const std::uint64_t n : sizes) series.depths.push_back(counted_depth(model, n));
    return series;
  }
  series.formula = "one network per n";
  for (const std::uint64_t n : sizes) {
    std::optional<std::uint64_t> depth;
    try {
      depth = counted_depth(compile(claim.family(n)).model, n);
    } catch (const SizeLimit&) {  // absent
    }
    series.depths.push_back(depth);
  }
  return series;
}

std::string form_of(const DepthSeries& series) {
  return series.claimed ? "claimed" : form_name(series.form);
}

std::string depth_text(const std::optional<std::uint64_t>& depth) {
  return depth ? std::to_string(*depth) : "–";
}

// --- the figure ----------------------------------------------------------------------------------

PlotSeries drawn_series(const DepthCurve& curve, const DepthSeries& series,
                        const SeriesStyle& style) {
  PlotSeries drawn{series.name, style};
  for (std::size_t i = 0; i < curve.sizes.size(); ++i) {
    if (!series.depths[i]) continue;
    const PlotPoint at = {std::log2(static_cast<double>(curve.sizes[i])),
                          static_cast<double>(*series.depths[i])};
    drawn.line.push_back(at);
    drawn.marks.push_back(
        {at, fmt::format("{}, n = {}: {}", series.name, curve.sizes[i], *series.depths[i])});
  }
  return drawn;
}

}  // namespace

std::vector<DepthCurve> depth_curves(const std::vector<const Claim*>& claims) {
  std::vector<DepthCurve> curves;
  for (const Subject& subject : subjects()) {
    DepthCurve curve{subject.name, subject.unit, subject.sizes, {}};
    std::set<std::string> claimed;
    for (const Claim* claim : claims) {
      if (claim->curve != subject.name) continue;
      if (claim->claimed.depth && claimed.insert(claim->id).second)
        curve.series.push_back(claimed_series(*claim, curve.sizes));
    }
    for (const Claim* claim : claims)
      if (claim->curve == subject.name && (claim->family || !claim->instances.empty()))
        curve.series.push_back(measured_series(*claim, curve.sizes));
    if (!curve.series.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

std::string depth_curve_markdown(const DepthCurve& curve) {
  std::vector<std::string> cells = {"", "form", "depth"};
  const std::size_t first_number = cells.size();
  for (const std::uint64_t n : curve.sizes) cells.push_back(std::to_string(n));
  std::string text = markdown_headings(cells, first_number);
  for (const DepthSeries& series : curve.series) {
    cells = {series.name, form_of(series), series.formula};
    for (const auto& depth : series.depths) cells.push_back(depth_text(depth));
    text += markdown_row(markdown_texts(cells));
  }
  return text;
}

std::string depth_curve_html(const DepthCurve& curve) {
  std::vector<std::string> cells = {curve.unit, "form", "depth"};
  for (const std::uint64_t n : curve.sizes) cells.push_back(std::to_string(n));
  std::string text = "<table class=\"law\">\n" + html_headings(cells);
  for (const DepthSeries& series : curve.series) {
    cells = {series.name, form_of(series), series.formula};
    for (const auto& depth : series.depths) cells.push_back(depth_text(depth));
    text += html_row(cells);
  }
  return text + "</table>\n";
}

std::string depth_curve_svg(const DepthCurve& curve) {
  LineChart chart;
  chart.width = 520;
  chart.height = 360;
  Legend legend;
  double deepest = 1;
  SeriesLooks looks;
  std::vector<const DepthSeries*> lines;  // that are drawn
  for (const DepthSeries& series : curve.series) {
    if (std::ranges::any_of(lines,
                            [&](const DepthSeries* line) { return line->depths == series.depths; }))
      continue;
    PlotSeries drawn = drawn_series(
        curve, series,
        looks.next({kHues[lines.size() % kHues.size()], series.claimed ? "6 4" : "", 2}));
    lines.push_back(&series);
    legend.entries.push_back(legend_entry(drawn));
    // Lines that coincide are drawn once, and the legend has their names below each other.
    for (const DepthSeries& other : curve.series)
      if (&other != &series && other.depths == series.depths)
        legend.entries.push_back({other.name, {}, MarkShape::none, false});
    for (const PlotMark& mark : drawn.marks) deepest = std::max(deepest, mark.at.second);
    chart.series.push_back(std::move(drawn));
  }
  const auto largest = static_cast<double>(curve.sizes.back());
  chart.x = doubling_axis(0, std::log2(largest), curve.unit + " n (logarithmic)");
  chart.y = counting_axis(deepest, "layers", 10);
  const double width = chart_width(chart);
  return svg_document(width + kLegendWidth, std::max(chart_height(chart), legend_height(legend)),
                      "Depth against size: " + curve.subject,
                      draw_chart(chart, {0, 0}) + draw_legend(legend, {width, kLegendTop}));
}

}  // namespace logdepth::inline proofs_check_ledger
