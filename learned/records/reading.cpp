#include "learned/records/reading.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace learned_records {
namespace {

/// Whole numbers up to this one are exact.
constexpr double kLargestNumber = 0x1p53, kLargestCount = 1e9;

}  // namespace

RecordFields::RecordFields(const nlohmann::ordered_json& json, std::string place)
    : json_(json), place_(std::move(place)) {}

void RecordFields::refuse(const std::string& name, const std::string& expected) const {
  throw InputError(place_ + "." + name + ": expected " + expected);
}

const nlohmann::ordered_json& RecordFields::typed(const char* name, Typed is_typed,
                                                  const char* expected) const {
  const auto at = json_.find(name);
  if (at == json_.end() || !((*at).*is_typed)()) refuse(name, expected);
  return *at;
}

double RecordFields::number(const char* name) const {
  const auto value = typed(name, &nlohmann::ordered_json::is_number, "a number").get<double>();
  if (!(std::fabs(value) <= kLargestNumber)) refuse(name, "a number");
  return value;
}

double RecordFields::share(const char* name) const {
  const double value = number(name);
  if (value < 0 || value > 1) refuse(name, "a share from 0 to 1");
  return value;
}

std::uint32_t RecordFields::count(const char* name, std::uint32_t least) const {
  const double value = number(name);
  if (value < least || value > kLargestCount || value != std::floor(value))
    refuse(name, "a whole number of at least " + std::to_string(least));
  return static_cast<std::uint32_t>(value);
}

std::string RecordFields::text(const char* name) const {
  return typed(name, &nlohmann::ordered_json::is_string, "a word").get<std::string>();
}

bool RecordFields::truth(const char* name) const {
  return typed(name, &nlohmann::ordered_json::is_boolean, "true or false").get<bool>();
}

const nlohmann::ordered_json& RecordFields::list(const char* name) const {
  return typed(name, &nlohmann::ordered_json::is_array, "a list");
}

std::vector<double> RecordFields::numbers(const char* name) const {
  std::vector<double> values;
  for (const nlohmann::ordered_json& item : list(name)) {
    if (!item.is_number()) refuse(name, "numbers");
    values.push_back(item.get<double>());
  }
  return values;
}

std::vector<double> RecordFields::shares(const char* name) const {
  std::vector<double> values;
  for (const nlohmann::ordered_json& item : list(name)) {
    const double value = item.is_number() ? item.get<double>() : -1;
    if (value < 0 || value > 1) refuse(name, "shares from 0 to 1");
    values.push_back(value);
  }
  return values;
}

RecordFields RecordFields::object(const char* name) const {
  return {typed(name, &nlohmann::ordered_json::is_object, "an object"), place_ + "." + name};
}

RecordFields RecordFields::entry(const char* name, const nlohmann::ordered_json& item) const {
  if (!item.is_object()) refuse(name, "objects");
  return {item, place_ + "." + name};
}

nlohmann::ordered_json to_json(const RunReading& reading) {
  nlohmann::ordered_json json = {{"of", reading.of}, {"at", reading.at}};
  const auto number = [&](const char* name, const std::optional<double>& value) {
    json[name] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  number("iterations", reading.iterations);
  number("layers", reading.layers);
  json["score"] = reading.score;
  json["samples"] = reading.samples;
  if (reading.what != "right") json["what"] = reading.what;
  if (!reading.own) json["own"] = false;
  return json;
}

RunReading reading_from_json(const RecordFields& json) {
  const auto number = [&](const char* name) {
    return json.is_null(name) ? std::nullopt : std::optional(json.number(name));
  };
  RunReading reading;
  reading.of = json.text("of");
  reading.at = json.number("at");
  reading.iterations = number("iterations");
  reading.layers = number("layers");
  reading.score = json.share("score");
  reading.samples = json.number("samples");
  if (json.has("what")) reading.what = json.text("what");
  if (json.has("own")) reading.own = json.truth("own");
  return reading;
}

double reached(const RunReadings& readings, double threshold) {
  std::map<double, std::pair<double, double>> best;  // by `at`: iterations, and the score
  for (const RunReading& one : readings) {
    const std::pair<double, double> now{one.iterations.value_or(0), one.score};
    const auto [found, added] = best.emplace(one.at, now);
    if (!added && now.first >= found->second.first) found->second = now;
  }
  double n = best.empty() ? 0 : std::min(0.0, best.begin()->first - 1);
  for (const auto& [at, score] : best) {
    if (score.second < threshold - kScoreRounding) break;
    n = at;
  }
  return n;
}

namespace {

using Points = std::vector<LearningCurve::Point>;

/// Those from the latest in the first half of the steps on; none without such a one.
Points second_half(const Points& points, std::uint64_t steps) {
  const auto beyond = std::ranges::find_if(
      points, [&](const LearningCurve::Point& point) { return 2 * point.steps > steps; });
  return beyond == points.begin() ? Points{} : Points{beyond - 1, points.end()};
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

}}  // namespace logdepth::learned_records
