#include "learned/records/learning_curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace logdepth {

LearningCurve::Trend LearningCurve::trend() const {
  constexpr double kNoise = 0.02;
  const auto beyond = std::ranges::find_if(
      points, [&](const Point& point) { return 2 * point.steps > points.back().steps; });
  if (beyond == points.begin()) return Trend::unknown;
  const auto half = beyond - 1;
  const double last = points.back().score;
  if (score == kSizeScore) {
    const auto [least, most] = std::ranges::minmax_element(half, points.end(), {}, &Point::score);
    return least->score == most->score ? Trend::flat
           : last == most->score       ? Trend::rising
                                       : Trend::falling;
  }
  return last - half->score > kNoise * std::abs(last) ? Trend::rising : Trend::flat;
}

LearningCurve LearningCurve::after_loops(std::uint64_t loops) const {
  LearningCurve curve{score, {}};
  for (const Point& point : points)
    if (const std::vector<double>& scores = point.by_loops; !scores.empty())
      curve.points.push_back(
          {point.steps, loops <= scores.size() ? scores[loops - 1] : 0, point.tokens});
  return curve;
}

const char* trend_name(LearningCurve::Trend trend) {
  switch (trend) {
    case LearningCurve::Trend::rising:
      return "still rising";
    case LearningCurve::Trend::flat:
      return "flat";
    case LearningCurve::Trend::falling:
      return "falling";
    case LearningCurve::Trend::unknown:
      break;
  }
  return "no learning curve";
}

bool is_curve_step(std::uint64_t step, std::uint64_t first) {
  return first > 0 && step >= first && step % first == 0 && std::has_single_bit(step / first);
}

nlohmann::ordered_json to_json(const LearningCurve& curve) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const LearningCurve::Point& point : curve.points) {
    nlohmann::ordered_json entry = {{"steps", point.steps}, {"score", point.score}};
    if (point.tokens > 0) entry["tokens"] = point.tokens;
    if (!point.accuracy.empty()) entry["accuracy"] = point.accuracy;
    if (!point.by_loops.empty()) entry["by_loops"] = point.by_loops;
    points.push_back(std::move(entry));
  }
  return {{"score", curve.score}, {"points", points}};
}

LearningCurve learning_curve_from_json(const nlohmann::ordered_json& json) {
  LearningCurve curve;
  curve.score = json.at("score");
  for (const auto& point : json.at("points"))
    curve.points.push_back({point.at("steps"), point.at("score"),
                            point.value("tokens", std::uint64_t{0}),
                            point.value("accuracy", std::vector<double>()),
                            point.value("by_loops", std::vector<double>())});
  return curve;
}

}  // namespace logdepth
