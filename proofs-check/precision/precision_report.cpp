#include "proofs-check/precision/precision_report.hpp"

#include <map>

namespace logdepth {

const char* scores_name(FloatOptions::Scores scores) {
  return scores == FloatOptions::Scores::product ? "product" : "distance";
}

std::vector<PrecisionPoint> points_of(const PrecisionReport& report, const std::string& series,
                                      PrecisionQuantity quantity, FloatOptions::Scores scores) {
  std::vector<PrecisionPoint> points;
  for (const PrecisionPoint& point : report.points)
    if (point.series == series && point.quantity == quantity && point.scores == scores)
      points.push_back(point);
  return points;
}

const PrototypeCurve* prototype_curve(const std::string& series, PrecisionQuantity quantity) {
  static const std::map<std::pair<std::string, PrecisionQuantity>, PrototypeCurve> kCurves = {
      {{"scan-first-flag", PrecisionQuantity::bits},
       {{{4, 8}, {8, 11}, {16, 17}, {32, 20}, {64, 25}, {128, 31}, {256, 35}}, "4.5 log2 N - 1"}},
      {{"scan-circle", PrecisionQuantity::bits},
       {{{4, 6}, {8, 12}, {16, 15}, {32, 18}, {64, 24}, {128, 28}, {256, 33}}, "4.4 log2 N - 2"}},
      {{"scan-two-circle", PrecisionQuantity::bits},
       {{{4, 7}, {8, 8}, {16, 11}, {32, 13}, {64, 15}, {128, 17}, {256, 19}}, "2 log2 N + 3"}},
      {{"division", PrecisionQuantity::bits},
       {{{8, 16}, {16, 21}, {32, 25}, {64, 29}, {128, 33}}, "4.25 log2 N + 3.5"}},
      {{"connectivity", PrecisionQuantity::bits},
       {{{16, 12}, {42, 20}, {88, 25}, {160, 29}}, "5.1 log2 N - 8"}},
      {{"scan-circle", PrecisionQuantity::temperature},
       {{{8, 3.7e3}, {16, 6.8e4}, {32, 1.5e6}, {64, 2.8e7}, {128, 5.1e8}, {256, 9.5e9}},
        "exponent 4.2 to 4.5"}},
      {{"scan-two-circle", PrecisionQuantity::temperature},
       {{{8, 342}, {16, 2.1e3}, {32, 9.1e3}, {64, 4.7e4}, {128, 2.0e5}, {256, 1.0e6}},
        "exponent 2.1 to 2.6"}}};
  const auto found = kCurves.find({series, quantity});
  return found == kCurves.end() ? nullptr : &found->second;
}

}  // namespace logdepth
