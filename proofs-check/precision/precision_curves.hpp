#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "constructions/catalogue/catalogue.hpp"
#include "proofs-check/check/examine.hpp"
#include "report/figures/line_chart.hpp"
#include "report/report.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace proofs_check_precision {

/// A family of inputs of growing size for one construction.
struct PrecisionSeries {
  std::string name;   ///< of --only: "scan-circle"
  std::string title;  ///< for people
  std::string unit;   ///< of sizes: letters, positions, vertices
  bool in_tokens;     ///< curves are about the number of tokens; else about the size
  /// The construction asks whether a difference of numbers that were computed in different ways is
  /// zero: in floating point it has to take small ones for zero. The tree's test is not one, its
  /// two numbers are copies of the same one where they are equal.
  bool tests_for_zero;
  bool has_temperature;  ///< the softmax temperature that it needs is a curve of its own
  std::function<Compiled(std::uint64_t size)> compiled;
  /// Seeded; the same for every precision, of exactly this size. They keep references to the model.
  std::function<std::vector<FloatQuestion>(const Model&, std::uint64_t size, std::uint64_t seed)>
      questions;
  /// In growing order.
  std::function<std::vector<std::uint64_t>(std::uint64_t up_to)> sizes;
};

/// Of the rows of all constructions, in their places; they keep references to the constructions.
std::vector<PrecisionSeries> precision_series_of(const Catalogue& constructions);
const std::vector<PrecisionSeries>& precision_series();
/// Precondition: one of them has this name.
const PrecisionSeries& series_named(const std::string& name);
/// Of the longest of these inputs.
std::uint64_t most_tokens(const std::vector<FloatQuestion>& questions);

/// What is measured of a construction at one size.
enum class PrecisionQuantity {
  bits,                    ///< the fewest significant bits with which every answer is right
  certified_bits,          ///< the fewest with which error bounds prove every answer
  bits_without_tolerance,  ///< `bits` where a number is zero only if the computed one is
  temperature,             ///< the smallest softmax temperature with which every answer is right
  /// the same at the second size, where numbers within 2^-k of zero are zero and rounding plays
  /// no part; the size of the point is k
  temperature_by_tolerance
};
const char* quantity_name(PrecisionQuantity quantity);
const char* scores_name(FloatOptions::Scores scores);

/// The most significant bits that are tried, and without tolerance; 2 to the largest temperature.
inline constexpr std::uint32_t kMostBitsTried = 400, kMostBitsWithoutTolerance = 100;
inline constexpr int kHighestTemperature = 80;
/// How many bits more than the smallest number are seen to be right as well.
inline constexpr std::uint32_t kBitsAbove = 3;

struct PrecisionPoint {
  std::string series;
  PrecisionQuantity quantity = PrecisionQuantity::bits;
  FloatOptions::Scores scores = FloatOptions::Scores::product;
  std::uint64_t size = 0;    ///< in the unit of the series
  std::uint64_t tokens = 0;  ///< of the longest input
  /// Bits, or the temperature for scores that are sums of products of unit vectors. Absent: none
  /// that was tried is enough.
  std::optional<double> value;
  std::string weights;  ///< first characters of the hash of the weights file

  bool same_curve(const PrecisionPoint& other) const {
    return series == other.series && quantity == other.quantity && scores == other.scores;
  }
};

/// Positions below this one are searched for the first wrong one.
inline constexpr std::uint64_t kPositionsSearched = std::uint64_t{1} << 26;

struct PrecisionOptions {
  std::uint64_t up_to = 256;  ///< letters, and shares of it for the other series
  std::uint64_t seed = 1;
  std::vector<std::string> only;  ///< names of series, "temperature" and "positions"; empty: all
  std::uint64_t positions = kPositionsSearched;
};

/// The points that these options ask for, without values, in the order of the report.
/// Errors: InputError for a name in `only` that is none.
std::vector<PrecisionPoint> points_to_measure(const PrecisionOptions& options);
/// Measures points, keeping the weights and the inputs of the last one.
class PrecisionCurves {
 public:
  explicit PrecisionCurves(std::uint64_t seed) : seed_(seed) {}

  /// Fills in the value, tokens and weights. `hint`: bits near which the search begins, those of
  /// the size before; 0 without. Errors: std::logic_error when an answer that the error bounds
  /// certify is wrong.
  PrecisionPoint measure(PrecisionPoint point, std::uint32_t hint = 0);

 private:
  void load(const PrecisionPoint& point);
  std::optional<double> fewest_bits(const PrecisionPoint& point, std::uint32_t hint);
  std::optional<double> lowest_temperature(const PrecisionPoint& point);

  std::uint64_t seed_;
  const PrecisionSeries* series_ = nullptr;
  std::uint64_t size_ = 0;
  std::string weights_;
  Model model_;
  PrecisionFacts facts_;
  std::vector<FloatQuestion> questions_;
};

/// The least value from `first` to `last` that is good together with the next `above` ones and one
/// above a bad value (or `first` itself): found from `hint` by doubling steps and halving, then up
/// past bad ones. Goodness need not be monotone, and nothing is said about other values. `good` is
/// asked at most once per value. Precondition: first <= hint <= last.
std::optional<std::uint32_t> first_good(std::uint32_t first, std::uint32_t last,
                                        std::uint32_t above, std::uint32_t hint,
                                        const std::function<bool(std::uint32_t)>& good);

/// What the curves of a series are about: tokens, or the size.
double curve_argument(const PrecisionSeries& series, const PrecisionPoint& point);
/// bits = a log2 N + b, or log2 temperature = a log2 N + b, of the points that have a value.
/// Precondition: one series, quantity and form of scores.
std::optional<LeastSquares> fit_curve(const std::vector<PrecisionPoint>& points);

/// A number format of floating-point hardware. Products and sums of scores are rounded to
/// `accumulator`; what goes into a product is rounded to `significand` bits first, as tensor cores
/// do with tf32 and bf16.
enum class FloatFormat { fp64, fp32, tf32, bf16 };
inline constexpr std::array kFloatFormats = {FloatFormat::fp64, FloatFormat::fp32,
                                             FloatFormat::tf32, FloatFormat::bf16};
const char* float_format_name(FloatFormat format);
/// Bits of the significand, the leading one included, of what goes into a product.
int significand_bits(FloatFormat format);

/// The codes of a position by which heads find it, and how they are computed.
enum class PositionKey {
  phi,           ///< (p, 1)/sqrt(p^2 + 1): one root, two divisions
  phi_averaged,  ///< the same from the averages (p/(p+1), 1/(p+1)), as a network has them, times
                 ///< one over their root, as norms are computed
  circle,        ///< model_meaning.hpp
  two_circle     ///< the same
};
inline constexpr std::array kPositionKeys = {PositionKey::phi, PositionKey::phi_averaged,
                                             PositionKey::circle, PositionKey::two_circle};
const char* position_key_name(PositionKey key);

enum class ScoreForm {
  product,        ///< q.k
  distance,       ///< -|q - k|^2 / 2, the same arg max where all keys have one norm
  distance_mixed  ///< the same with keys phi and queries phi_averaged: two ways to the same numbers
};
inline constexpr std::array kScoreForms = {ScoreForm::product, ScoreForm::distance,
                                           ScoreForm::distance_mixed};
const char* score_form_name(ScoreForm form);

/// One causal head that asks at every position p for p itself, among the keys 0 .. p.
struct FirstWrong {
  PositionKey key = PositionKey::phi;
  FloatFormat format = FloatFormat::fp64;
  ScoreForm form = ScoreForm::product;
  /// The smallest position at which p alone does not have the largest score; a tie with another
  /// position counts as wrong. Absent: none below `limit`.
  std::optional<std::uint64_t> position;
  std::uint64_t limit = 0;
};

/// Looks at all positions below `limit`, at each of them at every key that can win: see the
/// .cpp. Precondition: limit <= 2^27; distance_mixed is for keys phi.
FirstWrong first_wrong_position(PositionKey key, FloatFormat format, ScoreForm form,
                                std::uint64_t limit);

/// Every key with every format and every form that there is of it: the questions, where the options
/// ask for positions.
std::vector<FirstWrong> positions_to_search(const PrecisionOptions& options);

/// The number rounded to `bits` significant bits, ties to even; exponents are not limited.
/// Precondition: 1 <= bits <= 53.
double round_to_bits(double x, int bits);

/// The curves of precision, measured: what `logdepth report precision` prints.
struct PrecisionReport {
  std::string command;  ///< that makes it
  std::uint64_t seed = 1;
  std::vector<PrecisionPoint> points;
  std::vector<FirstWrong> first_wrong;
};

/// Measures what the options ask for; `progress` is called with points done and points in all.
/// Errors: InputError for an unknown name.
PrecisionReport measure_precision(
    const PrecisionOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress = {});

/// precision.csv: the first line names the file's form, the version of the program and the seed, the
/// second the columns; a row for each point.
std::string precision_csv(const PrecisionReport& measured, const std::string& version);

/// precision.md, precision.json and precision.svg, which stand beside precision.csv.
report::Report precision_page(const PrecisionReport& measured);

}}  // namespace logdepth::proofs_check_precision
