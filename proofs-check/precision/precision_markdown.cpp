#include <algorithm>
#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "proofs-check/precision/precision_pages.hpp"
#include "report/figures/table_text.hpp"

namespace logdepth {
namespace {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;

constexpr std::array kBothScores = {Scores::distance, Scores::product};
constexpr const char* kMinus = "−";  // U+2212

constexpr const char* kIntroduction =
    R"(What floating point needs to run compiled weights, which are made for exact numbers.
Measured on the inputs that are named; nothing on this page is a proof.
)";

constexpr const char* kBitsText = R"(
## Significant bits

p is the smallest number of significant bits with which every input of a size is answered right, when weights, inputs
and every operation are rounded to p bits. Right means that the verdict and every prefix product (every quotient and
remainder, whether vertices are connected) is that of an independent oracle, on a few seeded random inputs of each
size, the same ones for every p (words 3, divisors 4, graphs 4 with three pairs each, or all); more inputs can only
raise p. Being right need not be monotone in p: the search goes up or down in doubling steps from the p of the size
before, halves, and then sees that p − 1 is wrong and p to p + 3 are right; nothing is said about other p. The line is
a least-squares fit over all points, the residual its root mean square in bits. At small N the rest of a network needs
some five bits anyway, which bends the line.

Scores: `product` is q·k; `distance` takes −|q − k|²/2 in the heads whose keys have one norm, which has the same arg max.
Rule: `plain`, scores tie and numbers are zero when the computed ones are; `snapped`, within the tolerance, for scores
relative to |q||k|.

)";
static_assert(kBitsAbove == 3, "the text above says so");

constexpr const char* kTreeText = R"(
The tree tests a number for zero too, but a difference of two copies of one number where it is zero, so `plain` is enough.
)";

constexpr const char* kConnectivityText = R"(
Connectivity divides by the number of vertices n. For a power of two (jn, n) is (j, 1) times a power of two and most of what
has to be equal rounds alike, so the points of 2 and 4 vertices lie below the line.
)";

constexpr const char* kPrototypeText = R"(
A **prototype** of the same constructions, another program with other inputs; its bits are for scores as products:

)";

constexpr const char* kCertifiedText = R"(
### Certified

The smallest p with which the error bounds of the float run prove every answer (rule `bounded`); found and checked
above p in the same way. No certified answer was wrong. It can be less than the bits above where those snap, because a
proved separation is finer than 2^−(p−4). The separations of scores are proved for queries scaled to the length of the
keys, so by distance; with products ties stay open, and a construction that has them gets no certificate.

)";

constexpr const char* kNoToleranceText = R"(
### Tests for zero without tolerance

The constructions with a tolerance compare numbers that were computed in different ways. Without tolerance (`plain`), every
p from 2 to 100 tried:

)";
static_assert(kMostBitsWithoutTolerance == 100, "the text above says so");

constexpr const char* kLuckText = R"(
Where there is a number it is luck: so few comparisons that all of them happen to round alike.
)";

constexpr const char* kTemperatureText = R"(
## Softmax temperature

τ is the smallest factor of the scores (MS25's sense: the larger, the harder) with which softmax attention in float64
answers every input right, and with 2τ and 4τ as well; by halving log₂ τ, to three digits.
)";

constexpr const char* kScaleText = R"(
It is stated for scores that are products of unit vectors (sums of two with two-circle positions). Weights files scale
queries and keys: τ is the factor of the file's scores times |q||k|, as an exact run finds it at the last token.

)";

constexpr const char* kToleranceText = R"(
A test for zero fails at every finite temperature: softmax leaves a little weight on every key, so the number is not zero.
With a tolerance 2^−k, and 2k + 60 bits so that rounding plays no part, the temperature grows like k: without bound as the
test becomes exact. τ multiplies the file's own scores here.

)";

constexpr const char* kPositionsText = R"(
## First wrong position

The first position p (from 0) at which a head that asks for p among the keys 0 … p does not have its largest score at p
alone; a tie counts as wrong. tf32 and bf16 are what tensor cores do: factors rounded to 11 and 8 significant bits, sums in
fp32. `phi` is (p, 1)/√(p² + 1) by a root and two divisions; `phi of averages` is the same number from (p/(p+1), 1/(p+1))
times one over their norm, as a network computes it; `mixed distance` asks with the second kind among keys of the first.
)";

constexpr const char* kWayText = R"(
By product the position depends on how the codes round, see the two ways to the same φ. By distance it is the first code
that two positions share, unless query and key are computed in two ways.
)";

std::string whole(std::uint64_t value) {
  return std::to_string(value);
}

/// Three digits: "289", "9.50e9".
std::string scientific(double value) {
  return value < 1000 ? short_text(value, 3) : scientific_text(value, 2);
}

std::string curve_text(const LeastSquares& fit) {
  return fixed_text(fit.a, 2) + " log₂ N " + (fit.b < 0 ? kMinus : "+") + " " +
         fixed_text(std::fabs(fit.b), 1);
}

/// "4: **7**, 8: **9**": N and what was measured.
std::string points_text(const PrecisionSeries& series, const std::vector<PrecisionPoint>& points) {
  std::string text;
  for (const PrecisionPoint& point : points) {
    text += text.empty() ? "" : ", ";
    text += fixed_text(curve_argument(series, point), 0) + ": ";
    text += !point.value                              ? "none"
            : point.quantity == Quantity::temperature ? scientific(*point.value)
                                                      : fixed_text(*point.value, 0);
  }
  return text;
}

bool no_value(const std::vector<PrecisionPoint>& points) {
  return std::none_of(points.begin(), points.end(), [](const auto& p) { return p.value; });
}

std::string argument_text(const PrecisionSeries& series) {
  return series.in_tokens ? "tokens" : series.unit;
}

std::string rule_text(const PrecisionSeries& series) {
  return series.tests_for_zero ? "snapped within 2^−(p−4)" : "plain";
}

bool has(const PrecisionReport& report, Quantity quantity) {
  return std::any_of(report.points.begin(), report.points.end(),
                     [&](const auto& p) { return p.quantity == quantity; });
}

std::string bits_table(const PrecisionReport& report, Quantity quantity) {
  const bool certified = quantity == Quantity::certified_bits;
  std::vector<std::string> headings = {"construction"};
  if (!certified) headings.emplace_back("rule");
  for (const char* heading : {"scores", "N", "N: p", "p against N", "residual"})
    headings.emplace_back(heading);
  std::string text = markdown_headings(headings);
  for (const PrecisionSeries& series : precision_series())
    for (const Scores scores : kBothScores) {
      const auto points = points_of(report, series.name, quantity, scores);
      if (points.empty()) continue;
      const auto fit = fit_curve(points);
      std::vector<std::string> cells = {series.name};
      if (!certified) cells.push_back(rule_text(series));
      cells.emplace_back(scores_name(scores));
      cells.push_back(argument_text(series));
      cells.push_back(no_value(points) ? "none of 2 to " + whole(kMostBitsTried) + " bits, at any N"
                                       : points_text(series, points));
      cells.push_back(fit ? curve_text(*fit) : "–");
      cells.push_back(fit ? fixed_text(fit->root_mean_square(), 2) : "–");
      text += markdown_row(cells);
    }
  return text;
}

std::string prototype_table(const PrecisionReport& report, Quantity quantity) {
  const bool bits = quantity == Quantity::bits;
  std::string text =
      markdown_headings({"construction", bits ? "prototype, N: p" : "prototype, n: τ",
                         "prototype's law", "law measured here"});
  for (const PrecisionSeries& series : precision_series()) {
    const PrototypeCurve* curve = prototype_curve(series.name, quantity);
    const auto points =
        points_of(report, series.name, quantity, bits ? Scores::product : Scores::distance);
    if (!curve || points.empty()) continue;
    std::string numbers;
    for (const auto& [n, value] : curve->points)
      numbers += (numbers.empty() ? "" : ", ") + fixed_text(n, 0) + ": " +
                 (bits ? fixed_text(value, 0) : scientific(value));
    const auto fit = fit_curve(points);
    text += markdown_row({series.name, numbers, curve->curve,
                          !fit   ? "–"
                          : bits ? curve_text(*fit)
                                 : "exponent " + fixed_text(fit->a, 2)});
  }
  return text;
}

std::string bits_section(const PrecisionReport& report) {
  if (!has(report, Quantity::bits)) return "";
  std::string text = kBitsText + bits_table(report, Quantity::bits) + "\n";
  bool tree = false, connectivity = false, prototype = false;
  for (const PrecisionSeries& series : precision_series()) {
    if (points_of(report, series.name, Quantity::bits, Scores::product).empty()) continue;
    text += "- `" + series.name + "`: " + series.title + "\n";
    tree |= series.name == "tree";
    connectivity |= series.name == "connectivity";
    prototype |= prototype_curve(series.name, Quantity::bits) != nullptr;
  }
  if (tree) text += kTreeText;
  if (connectivity) text += kConnectivityText;
  if (prototype) text += kPrototypeText + prototype_table(report, Quantity::bits);
  text += kCertifiedText + bits_table(report, Quantity::certified_bits);
  if (!has(report, Quantity::bits_without_tolerance)) return text;
  text += kNoToleranceText + markdown_headings({"construction", "N", "N: p"});
  for (const PrecisionSeries& series : precision_series()) {
    const auto points =
        points_of(report, series.name, Quantity::bits_without_tolerance, Scores::distance);
    if (!points.empty())
      text += markdown_row({series.name, argument_text(series), points_text(series, points)});
  }
  return text + kLuckText;
}

std::string temperature_table(const PrecisionReport& report) {
  std::string text = markdown_headings(
      {"construction", "n: τ", "τ grows as n to the power", "residual of log₂ τ"});
  for (const PrecisionSeries& series : precision_series()) {
    const auto points = points_of(report, series.name, Quantity::temperature, Scores::distance);
    if (points.empty()) continue;
    const auto fit = fit_curve(points);
    text +=
        markdown_row({series.name, points_text(series, points), fit ? fixed_text(fit->a, 2) : "–",
                      fit ? fixed_text(fit->root_mean_square(), 2) : "–"});
  }
  return text;
}

std::string tolerance_table(const PrecisionReport& report) {
  std::string text = markdown_headings({"construction", "input", "k: τ"});
  for (const PrecisionSeries& series : precision_series()) {
    const auto points =
        points_of(report, series.name, Quantity::temperature_by_tolerance, Scores::distance);
    if (points.empty()) continue;
    std::string numbers;
    for (const PrecisionPoint& point : points)
      numbers += (numbers.empty() ? "" : ", ") + whole(point.size) + ": " +
                 (point.value ? scientific(*point.value) : "none");
    text += markdown_row({series.name, whole(points.front().tokens) + " tokens", numbers});
  }
  return text;
}

std::string temperature_section(const PrecisionReport& report) {
  const bool curves = has(report, Quantity::temperature);
  const bool tolerances = has(report, Quantity::temperature_by_tolerance);
  if (!curves && !tolerances) return "";
  std::string text = kTemperatureText;
  if (curves)
    text += kScaleText + temperature_table(report) + kPrototypeText +
            prototype_table(report, Quantity::temperature);
  if (tolerances) text += kToleranceText + tolerance_table(report);
  return text;
}

std::string position_text(const PrecisionReport& report, PositionKey key, FloatFormat format,
                          ScoreForm form) {
  for (const FirstWrong& found : report.first_wrong)
    if (found.key == key && found.format == format && found.form == form)
      return found.position ? whole(*found.position) : "≥ " + whole(found.limit);
  return "–";
}

std::string positions_section(const PrecisionReport& report) {
  if (report.first_wrong.empty()) return "";
  std::string text = std::string(kPositionsText) + "Positions below " +
                     whole(report.first_wrong.front().limit) + " were searched.\n\n" +
                     markdown_headings({"key", "format", "product", "distance", "mixed distance"});
  for (const PositionKey key : kPositionKeys)
    for (const FloatFormat format : kFloatFormats) {
      std::vector<std::string> cells = {position_key_name(key), float_format_name(format)};
      for (const ScoreForm form : kScoreForms)
        cells.push_back(position_text(report, key, format, form));
      text += markdown_row(cells);
    }
  return text + kWayText;
}

}  // namespace

std::string precision_markdown(const PrecisionReport& report) {
  std::string text = "# Precision\n\nWritten by `" + report.command + "`.\n\n" + kIntroduction;
  if (!report.points.empty()) text += "\n![bits and temperatures against N](precision.svg)\n";
  return text + bits_section(report) + temperature_section(report) + positions_section(report);
}

}  // namespace logdepth
