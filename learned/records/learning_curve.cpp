#include "learned/records/learning_curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace logdepth::inline learned_records {
namespace {

using Points = std::vector<LearningCurve::Point>;

/// Those from the latest in the first half of the steps on; none without such a one.
Points second_half(const Points& points, std::uint64_t steps) {
  const auto beyond = std::ranges::find_if(
      points, [&](const LearningCurve::Point& point) { return 2 * point.steps > steps; });
  return beyond == points.begin() ? Points{} : Points{beyond - 1, points.end()};
}

Points after_loops_of(const Points& points, std::uint64_t loops) {
  Points own;
  for (const LearningCurve::Point& point : points)
    if (const std::vector<double>& scores = point.by_loops; !scores.empty())
      own.push_back({point.steps, loops <= scores.size() ? scores[loops - 1] : 0, point.tokens});
  return own;
}

nlohmann::ordered_json points_json(const Points& points) {
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  for (const LearningCurve::Point& point : points) {
    nlohmann::ordered_json entry = {{"steps", point.steps}, {"score", point.score}};
    if (point.tokens > 0) entry["tokens"] = point.tokens;
    if (!point.accuracy.empty()) entry["accuracy"] = point.accuracy;
    if (!point.by_loops.empty()) entry["by_loops"] = point.by_loops;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Points points_from_json(const nlohmann::ordered_json& json) {
  Points points;
  for (const auto& point : json)
    points.push_back({point.at("steps"), point.at("score"), point.value("tokens", std::uint64_t{0}),
                      point.value("accuracy", std::vector<double>()),
                      point.value("by_loops", std::vector<double>())});
  return points;
}

}  // namespace

LearningCurve::Trend LearningCurve::trend() const {
  constexpr double kNoise = 0.02;
  if (points.empty()) return Trend::unknown;
  const Point& end = points.back();
  Points half = second_half(ends, end.steps);
  if (half.empty()) {
    half = second_half(points, end.steps);
  } else {
    half = {half.front(), end};
  }
  if (half.empty()) return Trend::unknown;
  const double last = end.score;
  if (score == kSizeScore) {
    const auto [least, most] = std::ranges::minmax_element(half, {}, &Point::score);
    return least->score == most->score ? Trend::flat
           : last == most->score       ? Trend::rising
                                       : Trend::falling;
  }
  return last - half.front().score > kNoise * std::abs(last) ? Trend::rising : Trend::flat;
}

LearningCurve LearningCurve::after_loops(std::uint64_t loops) const {
  return {score, after_loops_of(points, loops), after_loops_of(ends, loops)};
}

const char* trend_name(LearningCurve::Trend trend) {
  switch (trend) {
    case LearningCurve::Trend::rising:
      return "still improving";
    case LearningCurve::Trend::flat:
      return "plateaued";
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
  nlohmann::ordered_json json = {{"score", curve.score}, {"points", points_json(curve.points)}};
  if (!curve.ends.empty()) json["ends"] = points_json(curve.ends);
  return json;
}

LearningCurve learning_curve_from_json(const nlohmann::ordered_json& json) {
  LearningCurve curve;
  curve.score = json.at("score");
  curve.points = points_from_json(json.at("points"));
  if (json.contains("ends")) curve.ends = points_from_json(json.at("ends"));
  return curve;
}

}  // namespace logdepth::inline learned_records
