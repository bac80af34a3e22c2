#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "proofs-check/precision/measured_curves.hpp"

namespace logdepth::inline proofs_check_precision {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;
using report::Data;
using report::Heading;
using report::kNothing;
using report::or_null;
using report::Report;
using report::Table;

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

constexpr const char* kPrototypeText =
    R"(A **prototype** of the same constructions, another program with other inputs; its bits are for scores as products:)";

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
  for (const char* list : {"first_wrong_positions", "laws", "points", "prototype"})
    data[list] = Data::array();
  for (const FirstWrong& found : measured.first_wrong)
    data["first_wrong_positions"].push_back(position_data(found));
  for (const PrecisionPoint& point : measured.points) data["points"].push_back(point_data(point));
  for (std::size_t i = 0; i < precision_series().size(); ++i)
    for (const Quantity quantity :
         {Quantity::bits, Quantity::certified_bits, Quantity::temperature}) {
      for (const Scores scores : {Scores::product, Scores::distance})
        for (const MeasuredCurve* curve : curves.of(quantity, scores))
          if (curve->index == i) data["laws"].push_back(law_data(*curve));
      const std::string& name = precision_series()[i].name;
      if (const PrototypeCurve* curve = prototype_curve(name, quantity))
        data["prototype"].push_back({{"construction", name},
                                     {"law", curve->curve},
                                     {"points", curve->points},
                                     {"quantity", quantity_name(quantity)}});
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

/// Beside these curves; empty where there is none of them.
Table prototype_table(const std::vector<const MeasuredCurve*>& curves, Quantity quantity) {
  const bool bits = quantity == Quantity::bits;
  Table table{{"construction", bits ? "prototype, N: p" : "prototype, n: τ", "prototype's law",
               "law measured here"}};
  for (const MeasuredCurve* curve : curves) {
    const PrototypeCurve* prototype = prototype_curve(curve->series().name, quantity);
    if (!prototype) continue;
    std::string numbers;
    for (const auto& [n, value] : prototype->points)
      numbers +=
          (numbers.empty() ? "" : ", ") + fixed_text(n, 0) + ": " + value_text(quantity, value);
    table.rows.push_back({curve->series().name, numbers, prototype->curve,
                          !curve->fit ? kNothing
                          : bits      ? law_text(*curve)
                                      : "exponent " + exponent_text(*curve)});
  }
  return table;
}

void add_bits(Report& page, const MeasuredCurves& curves) {
  const auto bits = curves.of(Quantity::bits);
  if (bits.empty()) return;
  page.add(Heading{"Significant bits"}).add(kBitsText).add(bits_table(bits, true));
  report::List titles;
  bool tree = false, connectivity = false;
  const auto products = curves.of(Quantity::bits, Scores::product);
  for (const MeasuredCurve* curve : products) {
    const PrecisionSeries& series = curve->series();
    titles.items.push_back("`" + series.name + "`: " + series.title);
    tree |= series.name == "tree";
    connectivity |= series.name == "connectivity";
  }
  page.add(titles);
  if (tree) page.add(kTreeText);
  if (connectivity) page.add(kConnectivityText);
  if (Table table = prototype_table(products, Quantity::bits); !table.rows.empty())
    page.add(kPrototypeText).add(std::move(table));
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
    page.add(kScaleText)
        .add(std::move(table))
        .add(kPrototypeText)
        .add(prototype_table(temperatures, Quantity::temperature));
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

}  // namespace logdepth::inline proofs_check_precision
