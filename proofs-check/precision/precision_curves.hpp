#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs-check/precision/precision_questions.hpp"
#include "report/figures/least_squares.hpp"

namespace logdepth::inline proofs_check_precision {

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
std::optional<PrecisionQuantity> quantity_named(const std::string& name);
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

  bool same_question(const PrecisionPoint& other) const {
    return series == other.series && quantity == other.quantity && scores == other.scores &&
           size == other.size;
  }
  bool operator==(const PrecisionPoint&) const = default;
};

struct PrecisionOptions {
  std::uint64_t up_to = 256;  ///< letters, and shares of it for the other series
  std::uint64_t seed = 1;
  std::vector<std::string> only;  ///< names of series, "temperature" and "positions"; empty: all
};

/// The points that these options ask for, without values, in the order of the report.
/// Errors: InputError for a name in `only` that is none.
std::vector<PrecisionPoint> points_to_measure(const PrecisionOptions& options);
/// Whether the first wrong positions are asked for.
bool asks_for_positions(const PrecisionOptions& options);

/// Measures points, keeping the weights and the inputs of the last one.
class PrecisionCurves {
 public:
  explicit PrecisionCurves(std::uint64_t seed) : seed_(seed) {}

  /// The hash by which a point names its weights.
  std::string weights_of(const PrecisionPoint& point);
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

}  // namespace logdepth::inline proofs_check_precision
