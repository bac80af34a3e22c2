#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "proofs-check/precision/precision_report.hpp"

namespace logdepth::inline proofs_check_precision {

/// What was measured of a series in one quantity and form of scores: at least one point.
struct MeasuredCurve {
  std::size_t index = 0;  ///< of the series
  PrecisionQuantity quantity = PrecisionQuantity::bits;
  FloatOptions::Scores scores = FloatOptions::Scores::product;
  std::vector<PrecisionPoint> points;
  std::optional<LeastSquares> fit;

  const PrecisionSeries& series() const { return precision_series()[index]; }
};

/// By series, quantity and scores, distance before product.
class MeasuredCurves {
 public:
  explicit MeasuredCurves(const PrecisionReport& measured);

  /// In either form of scores unless one is named.
  std::vector<const MeasuredCurve*> of(PrecisionQuantity quantity,
                                       std::optional<FloatOptions::Scores> scores = {}) const;

 private:
  std::vector<MeasuredCurve> all_;
};

/// Bits and temperatures against the logarithm of N, with the fitted lines. Panels without points
/// are left out.
report::Picture precision_picture(const MeasuredCurves& curves);

/// What an early prototype measured of the same construction, for comparison; absent for the
/// others.
struct PrototypeCurve {
  std::vector<std::pair<double, double>> points;  ///< N and bits or temperature
  std::string curve;
};
const PrototypeCurve* prototype_curve(const std::string& series, PrecisionQuantity quantity);

}  // namespace logdepth::inline proofs_check_precision
