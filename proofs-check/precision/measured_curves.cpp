#include "proofs-check/precision/measured_curves.hpp"

#include <map>

namespace logdepth::inline proofs_check_precision {

using Quantity = PrecisionQuantity;
using Scores = FloatOptions::Scores;

MeasuredCurves::MeasuredCurves(const PrecisionReport& measured) {
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

std::vector<const MeasuredCurve*> MeasuredCurves::of(Quantity quantity,
                                                     std::optional<Scores> scores) const {
  std::vector<const MeasuredCurve*> found;
  for (const MeasuredCurve& curve : all_)
    if (curve.quantity == quantity && curve.scores == scores.value_or(curve.scores))
      found.push_back(&curve);
  return found;
}

const PrototypeCurve* prototype_curve(const std::string& series, Quantity quantity) {
  static const std::map<std::pair<std::string, Quantity>, PrototypeCurve> kCurves = {
      {{"scan-first-flag", Quantity::bits},
       {{{4, 8}, {8, 11}, {16, 17}, {32, 20}, {64, 25}, {128, 31}, {256, 35}}, "4.5 log2 N - 1"}},
      {{"scan-circle", Quantity::bits},
       {{{4, 6}, {8, 12}, {16, 15}, {32, 18}, {64, 24}, {128, 28}, {256, 33}}, "4.4 log2 N - 2"}},
      {{"scan-two-circle", Quantity::bits},
       {{{4, 7}, {8, 8}, {16, 11}, {32, 13}, {64, 15}, {128, 17}, {256, 19}}, "2 log2 N + 3"}},
      {{"division", Quantity::bits},
       {{{8, 16}, {16, 21}, {32, 25}, {64, 29}, {128, 33}}, "4.25 log2 N + 3.5"}},
      {{"connectivity", Quantity::bits},
       {{{16, 12}, {42, 20}, {88, 25}, {160, 29}}, "5.1 log2 N - 8"}},
      {{"scan-circle", Quantity::temperature},
       {{{8, 3.7e3}, {16, 6.8e4}, {32, 1.5e6}, {64, 2.8e7}, {128, 5.1e8}, {256, 9.5e9}},
        "exponent 4.2 to 4.5"}},
      {{"scan-two-circle", Quantity::temperature},
       {{{8, 342}, {16, 2.1e3}, {32, 9.1e3}, {64, 4.7e4}, {128, 2.0e5}, {256, 1.0e6}},
        "exponent 2.1 to 2.6"}}};
  const auto found = kCurves.find({series, quantity});
  return found == kCurves.end() ? nullptr : &found->second;
}

}  // namespace logdepth::inline proofs_check_precision
