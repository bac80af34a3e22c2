#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "proofs-check/precision/first_wrong_position.hpp"
#include "proofs-check/precision/precision_curves.hpp"

namespace logdepth {

/// The curves of precision, measured: what `logdepth report precision` prints (precision_pages.hpp).
struct PrecisionReport {
  std::string command;  ///< that makes it
  std::uint64_t seed = 1;
  std::vector<PrecisionPoint> points;
  std::vector<FirstWrong> first_wrong;
};

/// What an early prototype measured of the same construction, for comparison; absent for the
/// others.
struct PrototypeCurve {
  std::vector<std::pair<double, double>> points;  ///< N and bits or temperature
  std::string curve;
};
const PrototypeCurve* prototype_curve(const std::string& series, PrecisionQuantity quantity);

/// The points of one series, quantity and form of scores.
std::vector<PrecisionPoint> points_of(const PrecisionReport& report, const std::string& series,
                                      PrecisionQuantity quantity, FloatOptions::Scores scores);
const char* scores_name(FloatOptions::Scores scores);

}  // namespace logdepth
