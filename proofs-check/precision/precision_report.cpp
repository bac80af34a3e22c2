#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/phrases.hpp"
#include "proofs-check/precision/precision_curves.hpp"
#include "report/figures/svg_elements.hpp"
#include "runtime/numbers/real.hpp"

namespace logdepth { inline namespace proofs_check_precision {
namespace {

std::string command_of(const PrecisionOptions& options) {
  std::string text =
      fmt::format("logdepth report precision --up-to {} --seed {}", options.up_to, options.seed);
  if (options.positions != kPositionsSearched)
    text += fmt::format(" --positions {}", options.positions);
  if (!options.only.empty()) text += " --only";
  for (const std::string& name : options.only) text += " " + name;
  return text;
}

}  // namespace

PrecisionReport measure_precision(const PrecisionOptions& options,
                                  const std::function<void(std::size_t, std::size_t)>& progress) {
  PrecisionReport report;
  report.command = command_of(options);
  report.seed = options.seed;
  const std::vector<PrecisionPoint> questions = points_to_measure(options);
  const std::vector<FirstWrong> positions = positions_to_search(options);
  const auto show = [&] {
    if (progress)
      progress(report.points.size() + report.first_wrong.size(),
               questions.size() + positions.size());
  };
  PrecisionCurves curves(options.seed);
  for (const PrecisionPoint& question : questions) {
    // Sizes grow, so the bits of the size before are the ones to begin with.
    std::uint32_t hint = 0;
    if (!report.points.empty()) {
      const PrecisionPoint& before = report.points.back();
      if (before.same_curve(question) && before.value)
        hint = static_cast<std::uint32_t>(std::min(*before.value, double{kMostBitsTried}));
    }
    report.points.push_back(curves.measure(question, hint));
    show();
  }
  for (const FirstWrong& question : positions) {
    report.first_wrong.push_back(
        first_wrong_position(question.key, question.format, question.form, question.limit));
    show();
  }
  return report;
}

namespace {

constexpr const char* kForm = "# logdepth report precision 1";
constexpr const char* kColumns = "quantity,what,scores,size,tokens,value,weights";
constexpr const char* kFirstWrong = "first-wrong-position";
constexpr const char* kNone = "none";
constexpr std::size_t kFields = 7;
using Fields = std::array<std::string, kFields>;

std::string line_of(const Fields& fields) {
  std::string line;
  for (std::size_t i = 0; i < kFields; ++i) line += (i == 0 ? "" : ",") + fields[i];
  return line + "\n";
}

Fields fields_of_point(const PrecisionPoint& point) {
  return {quantity_name(point.quantity),
          point.series,
          scores_name(point.scores),
          std::to_string(point.size),
          std::to_string(point.tokens),
          point.value ? shortest_text(*point.value) : kNone,
          point.weights};
}

/// `size` is the limit of the search.
Fields fields_of_position(const FirstWrong& found) {
  return {kFirstWrong,
          std::string(position_key_name(found.key)) + "/" + float_format_name(found.format),
          score_form_name(found.form),
          std::to_string(found.limit),
          "",
          found.position ? std::to_string(*found.position) : kNone,
          ""};
}

}  // namespace

std::string precision_csv(const PrecisionReport& measured, const std::string& version) {
  std::vector<PrecisionPoint> points = measured.points;
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
    const auto key = [](const PrecisionPoint& p) {
      return std::tuple(p.quantity, &series_named(p.series), p.scores, p.size);
    };
    return key(a) < key(b);
  });
  std::string text =
      fmt::format("{} version {} seed {}\n{}\n", kForm, version, measured.seed, kColumns);
  for (const PrecisionPoint& point : points) text += line_of(fields_of_point(point));
  for (const FirstWrong& found : measured.first_wrong) text += line_of(fields_of_position(found));
  return text;
}

namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;
using report::Data;
using report::Heading;
using report::kNothing;
using report::or_null;
using report::Report;
using report::Table;

// --- curves --------------------------------------------------------------------------------------

/// What was measured of a series in one quantity and form of scores: at least one point.
struct MeasuredCurve {
  std::size_t index = 0;  ///< of the series
  Quantity quantity = Quantity::bits;
  Scores scores = Scores::product;
  std::vector<PrecisionPoint> points;
  std::optional<LeastSquares> fit;

  const PrecisionSeries& series() const { return precision_series()[index]; }
};

/// By series, quantity and scores, distance before product.
class MeasuredCurves {
 public:
  explicit MeasuredCurves(const PrecisionReport& measured) {
    for (std::size_t i = 0; i < precision_series().size(); ++i)
      for (const Quantity quantity :
           {Quantity::bits, Quantity::certified_bits, Quantity::bits_without_tolerance,
            Quantity::temperature, Quantity::temperature_by_tolerance})
        for (const Scores scores : {Scores::distance, Scores::product}) {
          MeasuredCurve curve{i, quantity, scores, {}, {}};
          for (const PrecisionPoint& point : measured.points)
            if (point.series == curve.series().name && point.quantity == quantity &&
                point.scores == scores)
              curve.points.push_back(point);
          if (curve.points.empty()) continue;
          curve.fit = fit_curve(curve.points);
          all_.push_back(std::move(curve));
        }
  }

  /// In either form of scores unless one is named.
  std::vector<const MeasuredCurve*> of(Quantity quantity, std::optional<Scores> scores = {}) const {
    std::vector<const MeasuredCurve*> found;
    for (const MeasuredCurve& curve : all_)
      if (curve.quantity == quantity && curve.scores == scores.value_or(curve.scores))
        found.push_back(&curve);
    return found;
  }

 private:
  std::vector<MeasuredCurve> all_;
};

// --- figure --------------------------------------------------------------------------------------

constexpr double kMargin = 20;
constexpr std::size_t kLegendColumns = 4;

struct PrecisionPanel {
  std::string title;
  Quantity quantity;
  Scores scores;
  bool is_temperature() const { return quantity == Quantity::temperature; }
  /// What is drawn upwards.
  double height(double value) const { return is_temperature() ? std::log2(value) : value; }
};

SeriesStyle style_of(std::size_t series) {
  static const std::vector<SeriesStyle> kStyles = [] {
    std::vector<SeriesStyle> styles;
    SeriesLooks looks;
    while (styles.size() < precision_series().size())
      styles.push_back(looks.next({kHues[styles.size() % kHues.size()]}));
    return styles;
  }();
  return kStyles.at(series);
}

/// The measured points with their fitted line, over log2 N.
PlotSeries drawn_curve(const PrecisionPanel& panel, const MeasuredCurve& curve) {
  const std::string& name = curve.series().name;
  PlotSeries drawn{name, style_of(curve.index)};
  for (const PrecisionPoint& point : curve.points) {
    if (!point.value) continue;
    const PlotPoint at = {std::log2(curve_argument(curve.series(), point)),
                          panel.height(*point.value)};
    drawn.marks.push_back(
        {at, name + ", log2 N = " + fixed_text(at.first, 1) + ": " + fixed_text(at.second, 1)});
  }
  if (curve.fit && !drawn.marks.empty())
    for (const double x : {drawn.marks.front().at.first, drawn.marks.back().at.first})
      drawn.line.emplace_back(x, curve.fit->value(x));
  return drawn;
}

const std::vector<PrecisionPanel>& panels() {
  static const std::vector<PrecisionPanel> kPanels = {
      {"Bits for right answers, scores by distance", Quantity::bits, Scores::distance},
      {"Bits for right answers, scores by product", Quantity::bits, Scores::product},
      {"Bits for certified answers, scores by distance", Quantity::certified_bits,
       Scores::distance},
      {"Bits for certified answers, scores by product", Quantity::certified_bits, Scores::product},
      {"Softmax temperature for right answers", Quantity::temperature, Scores::distance}};
  return kPanels;
}

/// What the axes have to reach: the marks, not the lines.
struct PanelContent {
  const PrecisionPanel* panel = nullptr;
  std::vector<PlotSeries> series = {};
  double lowest_x = 1e9, highest_x = 0, highest_y = 0;

  void add(PlotSeries drawn) {
    for (const PlotMark& mark : drawn.marks) {
      lowest_x = std::min(lowest_x, mark.at.first);
      highest_x = std::max(highest_x, mark.at.first);
      highest_y = std::max(highest_y, mark.at.second);
    }
    series.push_back(std::move(drawn));
  }
};

/// Bits and temperatures against the logarithm of N, with the fitted lines. Panels without points
/// are left out.
report::Picture precision_picture(const MeasuredCurves& curves) {
  std::vector<PanelContent> contents;
  std::set<std::size_t> shown;
  double most_bits = 0;  // bits are to be compared between panels
  for (const PrecisionPanel& panel : panels()) {
    PanelContent content{&panel};
    for (const MeasuredCurve* curve : curves.of(panel.quantity, panel.scores)) {
      PlotSeries drawn = drawn_curve(panel, *curve);
      if (drawn.marks.empty()) continue;
      shown.insert(curve->index);
      content.add(std::move(drawn));
    }
    if (content.series.empty()) continue;
    if (!panel.is_temperature()) most_bits = std::max(most_bits, content.highest_y);
    contents.push_back(std::move(content));
  }

  Legend legend;
  legend.columns = kLegendColumns;
  for (const std::size_t i : shown)
    legend.entries.push_back({precision_series()[i].name, style_of(i), MarkShape::dot});

  const double width = chart_width(LineChart());
  report::Picture picture{"precision.svg", "Precision of compiled weights", 2 * (kMargin + width),
                          kMargin};
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const PanelContent& content = contents[i];
    LineChart chart;
    chart.title = content.panel->title;
    chart.x = doubling_axis(content.lowest_x, content.highest_x,
                            "N: letters, positions or tokens (logarithmic)");
    chart.y = content.panel->is_temperature() ? powers_axis(content.highest_y, "temperature")
                                              : counting_axis(most_bits, "significant bits");
    chart.series = content.series;
    if (i % 2 == 0) picture.strips.push_back({{}, kMargin / 2});
    picture.strips.back().parts.push_back(
        {report::drawing(std::move(chart)), i % 2 == 0 ? kMargin : kMargin + width});
  }
  picture.strips.push_back(
      {{{report::drawing(std::move(legend)), kMargin + 52, kMargin / 2}}, kMargin / 2});
  return picture;
}

// --- texts ---------------------------------------------------------------------------------------

constexpr const char* kMinus = "−";  // U+2212

constexpr const char* kIntroduction =
    R"(What floating point needs to run compiled weights, which are made for exact numbers.
Measured on the inputs that are named; nothing on this page is a proof.)";

constexpr const char* kBitsText =
    R"(p is the smallest number of significant bits with which every input of a size is answered right, when weights, inputs
and every operation are rounded to p bits. Right means that the verdict and every prefix product (every quotient and
remainder, whether vertices are connected) is that of an independent oracle, on a few seeded random inputs of each
size, the same ones for every p (words 3, divisors 4, graphs 4 with three pairs each, or all); more inputs can only
raise p. Being right need not be monotone in p: the search goes up or down in doubling steps from the p of the size
before, halves, and then sees that p − 1 is wrong and p to p + 3 are right; other p are not measured. The line is
a least-squares fit over all points, the residual its root mean square in bits. At small N the rest of a network needs
some five bits anyway, which bends the line.

Scores: `product` is q·k; `distance` takes −|q − k|²/2 in the heads whose keys have one norm, which has the same arg max.
Rule: `plain`, scores tie and numbers are zero when the computed ones are; `snapped`, within the tolerance, for scores
relative to |q||k|.)";
static_assert(kBitsAbove == 3, "the text above has this number");

constexpr const char* kTreeText =
    R"(The tree tests a number for zero too, but a difference of two copies of one number where it is zero, so `plain` is enough.)";

constexpr const char* kConnectivityText =
    R"(Connectivity divides by the number of vertices n. For a power of two (jn, n) is (j, 1) times a power of two and most of what
has to be equal rounds alike, so the points of 2 and 4 vertices lie below the line.)";

constexpr const char* kCertifiedText =
    R"(The smallest p with which the error bounds of the float run prove every answer (rule `bounded`); found and checked
above p in the same way. No certified answer was wrong. It can be less than the bits above where those snap, because a
proved separation is finer than 2^−(p−4). The separations of scores are proved for queries scaled to the length of the
keys, so by distance; with products ties stay open, and a construction that has them gets no certificate.)";

constexpr const char* kNoToleranceText =
    R"(The constructions with a tolerance compare numbers that were computed in different ways. Without tolerance (`plain`), every
p from 2 to 100 tried:)";
static_assert(kMostBitsWithoutTolerance == 100, "the text above has this number");

constexpr const char* kLuckText =
    R"(Where there is a number it is luck: so few comparisons that all of them happen to round alike.)";

constexpr const char* kTemperatureText =
    R"(τ is the smallest factor of the scores (MS25's sense: the larger, the harder) with which softmax attention in float64
answers every input right, and with 2τ and 4τ as well; by halving log₂ τ, to three digits.)";

constexpr const char* kScaleText =
    R"(It is stated for scores that are products of unit vectors (sums of two with two-circle positions). Weights files scale
queries and keys: τ is the factor of the file's scores times |q||k|, as an exact run finds it at the last token.)";

constexpr const char* kToleranceText =
    R"(A test for zero fails at every finite temperature: softmax leaves a little weight on every key, so the number is not zero.
With a tolerance 2^−k, and 2k + 60 bits so that rounding plays no part, the temperature grows like k: without bound as the
test becomes exact. τ multiplies the file's own scores here.)";

constexpr const char* kPositionsText =
    R"(The first position p (from 0) at which a head with the query of p among the keys 0 … p does not have its largest score at p
alone; a tie counts as wrong. tf32 and bf16 are what tensor cores do: factors rounded to 11 and 8 significant bits, sums in
fp32. `phi` is (p, 1)/√(p² + 1) by a root and two divisions; `phi of averages` is the same number from (p/(p+1), 1/(p+1))
times one over their norm, as a network computes it; `mixed distance` has queries of the second kind and keys of the first.)";

constexpr const char* kWayText =
    R"(By product the position depends on how the codes round, see the two ways to the same φ. By distance it is the first code
that two positions share, unless query and key are computed in two ways.)";

/// Three digits: "289", "9.50e9".
std::string scientific(double value) {
  return value < 1000 ? short_text(value, 3) : scientific_text(value, 2);
}

std::string value_text(Quantity quantity, double value) {
  return quantity == Quantity::temperature || quantity == Quantity::temperature_by_tolerance
             ? scientific(value)
             : fixed_text(value, 0);
}

std::string law_text(const MeasuredCurve& curve) {
  if (!curve.fit) return kNothing;
  const LeastSquares& fit = *curve.fit;
  return fixed_text(fit.a, 2) + " log₂ N " + (fit.b < 0 ? kMinus : "+") + " " +
         fixed_text(std::fabs(fit.b), 1);
}

std::string exponent_text(const MeasuredCurve& curve) {
  return curve.fit ? fixed_text(curve.fit->a, 2) : kNothing;
}

std::string residual_text(const MeasuredCurve& curve) {
  return curve.fit ? fixed_text(curve.fit->root_mean_square(), 2) : kNothing;
}

/// "4: 7, 8: 9": N, or what the size of a point is else, and what was measured.
std::string points_text(const MeasuredCurve& curve) {
  std::string text;
  for (const PrecisionPoint& point : curve.points) {
    const double at = curve.quantity == Quantity::temperature_by_tolerance
                          ? static_cast<double>(point.size)
                          : curve_argument(curve.series(), point);
    text += (text.empty() ? "" : ", ") + fixed_text(at, 0) + ": " +
            (point.value ? value_text(curve.quantity, *point.value) : "none");
  }
  return text;
}

std::string argument_text(const PrecisionSeries& series) {
  return series.in_tokens ? "tokens" : series.unit;
}

// --- data ----------------------------------------------------------------------------------------

Data point_data(const PrecisionPoint& point) {
  return {{"construction", point.series},
          {"quantity", quantity_name(point.quantity)},
          {"scores", scores_name(point.scores)},
          {"size", point.size},
          {"tokens", point.tokens},
          {"value", or_null(point.value)},
          {"weights", point.weights}};
}

Data law_data(const MeasuredCurve& curve) {
  const auto fitted = [&](auto number) { return curve.fit ? Data(number(*curve.fit)) : Data(); };
  return {{"argument", argument_text(curve.series())},
          {"construction", curve.series().name},
          {"intercept", fitted([](const LeastSquares& fit) { return fit.b; })},
          {"points", curve.fit ? curve.fit->points : 0},
          {"quantity", quantity_name(curve.quantity)},
          {"residual", fitted([](const LeastSquares& fit) { return fit.root_mean_square(); })},
          {"scores", scores_name(curve.scores)},
          {"slope", fitted([](const LeastSquares& fit) { return fit.a; })}};
}

Data position_data(const FirstWrong& found) {
  return {{"format", float_format_name(found.format)},
          {"key", position_key_name(found.key)},
          {"position", or_null(found.position)},
          {"scores", score_form_name(found.form)},
          {"searched_below", found.limit}};
}

Data report_data(const PrecisionReport& measured, const MeasuredCurves& curves) {
  Data data = {{"command", measured.command}};
  for (const char* list : {"first_wrong_positions", "laws", "points"}) data[list] = Data::array();
  for (const FirstWrong& found : measured.first_wrong)
    data["first_wrong_positions"].push_back(position_data(found));
  for (const PrecisionPoint& point : measured.points) data["points"].push_back(point_data(point));
  for (std::size_t i = 0; i < precision_series().size(); ++i)
    for (const Quantity quantity :
         {Quantity::bits, Quantity::certified_bits, Quantity::temperature}) {
      for (const Scores scores : {Scores::product, Scores::distance})
        for (const MeasuredCurve* curve : curves.of(quantity, scores))
          if (curve->index == i) data["laws"].push_back(law_data(*curve));
    }
  data["schema"] = "logdepth/report-precision/1";
  data["seed"] = measured.seed;
  return data;
}

// --- page ----------------------------------------------------------------------------------------

Table bits_table(const std::vector<const MeasuredCurve*>& curves, bool with_rule) {
  Table table{{"construction", "scores", "N", "N: p", "p against N", "residual"}};
  for (const MeasuredCurve* curve : curves) {
    const bool any = std::ranges::any_of(curve->points,
                                         [](const auto& point) { return point.value.has_value(); });
    table.rows.push_back(
        {curve->series().name, scores_name(curve->scores), argument_text(curve->series()),
         any ? points_text(*curve)
             : "none of 2 to " + std::to_string(kMostBitsTried) + " bits, at any N",
         law_text(*curve), residual_text(*curve)});
    if (with_rule)
      table.rows.back().insert(table.rows.back().begin() + 1, curve->series().tests_for_zero
                                                                  ? "snapped within 2^−(p−4)"
                                                                  : "plain");
  }
  if (with_rule) table.headings.insert(table.headings.begin() + 1, "rule");
  return table;
}

void add_bits(Report& page, const MeasuredCurves& curves) {
  const auto bits = curves.of(Quantity::bits);
  if (bits.empty()) return;
  page.add(Heading{"Significant bits"}).add(kBitsText).add(bits_table(bits, true));
  report::List titles;
  bool tree = false, connectivity = false;
  for (const MeasuredCurve* curve : curves.of(Quantity::bits, Scores::product)) {
    const PrecisionSeries& series = curve->series();
    titles.items.push_back("`" + series.name + "`: " + series.title);
    tree |= series.name == "tree";
    connectivity |= series.name == "connectivity";
  }
  page.add(titles);
  if (tree) page.add(kTreeText);
  if (connectivity) page.add(kConnectivityText);
  page.add(Heading{"Certified", 3})
      .add(kCertifiedText)
      .add(bits_table(curves.of(Quantity::certified_bits), false));
  const auto without = curves.of(Quantity::bits_without_tolerance);
  if (without.empty()) return;
  Table table{{"construction", "N", "N: p"}};
  for (const MeasuredCurve* curve : without)
    table.rows.push_back(
        {curve->series().name, argument_text(curve->series()), points_text(*curve)});
  page.add(Heading{"Tests for zero without tolerance", 3})
      .add(kNoToleranceText)
      .add(std::move(table))
      .add(kLuckText);
}

void add_temperatures(Report& page, const MeasuredCurves& curves) {
  const auto temperatures = curves.of(Quantity::temperature),
             tolerances = curves.of(Quantity::temperature_by_tolerance);
  if (temperatures.empty() && tolerances.empty()) return;
  page.add(Heading{"Softmax temperature"}).add(kTemperatureText);
  if (!temperatures.empty()) {
    Table table{{"construction", "n: τ", "τ grows as n to the power", "residual of log₂ τ"}};
    for (const MeasuredCurve* curve : temperatures)
      table.rows.push_back({curve->series().name, points_text(*curve), exponent_text(*curve),
                            residual_text(*curve)});
    page.add(kScaleText).add(std::move(table));
  }
  if (tolerances.empty()) return;
  Table table{{"construction", "input", "k: τ"}};
  for (const MeasuredCurve* curve : tolerances)
    table.rows.push_back({curve->series().name,
                          std::to_string(curve->points.front().tokens) + " tokens",
                          points_text(*curve)});
  page.add(kToleranceText).add(std::move(table));
}

std::string position_text(const PrecisionReport& measured, PositionKey key, FloatFormat format,
                          ScoreForm form) {
  for (const FirstWrong& found : measured.first_wrong)
    if (found.key == key && found.format == format && found.form == form)
      return found.position ? std::to_string(*found.position) : "≥ " + std::to_string(found.limit);
  return kNothing;
}

void add_positions(Report& page, const PrecisionReport& measured) {
  if (measured.first_wrong.empty()) return;
  Table table{{"key", "format", "product", "distance", "mixed distance"}};
  for (const PositionKey key : kPositionKeys)
    for (const FloatFormat format : kFloatFormats) {
      auto& cells = table.rows.emplace_back(
          std::vector<std::string>{position_key_name(key), float_format_name(format)});
      for (const ScoreForm form : kScoreForms)
        cells.push_back(position_text(measured, key, format, form));
    }
  page.add(Heading{"First wrong position"})
      .add(std::string(kPositionsText) + "\nPositions below " +
           std::to_string(measured.first_wrong.front().limit) + " were searched.")
      .add(std::move(table))
      .add(kWayText);
}

}  // namespace

Report precision_page(const PrecisionReport& measured) {
  const MeasuredCurves curves(measured);
  Report page{"precision", "Precision"};
  page.data = report_data(measured, curves);
  page.add_picture(precision_picture(curves));
  page.add("Written by `" + measured.command + "`.").add(kIntroduction);
  if (!measured.points.empty())
    page.add(report::Figure{"precision.svg", "bits and temperatures against N"});
  add_bits(page, curves);
  add_temperatures(page, curves);
  add_positions(page, measured);
  return page;
}

}}  // namespace logdepth::proofs_check_precision
