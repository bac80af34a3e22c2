#include "tests/support/planted_runs.hpp"

#include <algorithm>
#include <cmath>

#include "learned/report/criteria.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::support {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kAlone = 0.4;  // a rival's score
constexpr double kRivalReach = 4;

std::string key_of(const Conditions& conditions) {
  std::string key;
  for (const auto& [name, wanted] : conditions) key += name + "=" + wanted.dump() + "\n";
  return key;
}

/// Whole numbers that meet the condition, where a name in it stands for something large or, if there are none, for 0.
std::vector<double> numbers_meeting(const Json& wanted) {
  if (wanted.is_number()) return {wanted.get<double>()};
  if (wanted.is_array() && !wanted.empty() && wanted[0].is_number())
    return wanted.get<std::vector<double>>();
  std::vector<double> found;
  for (const double named : {1e9, 0.0}) {
    for (const double number : {0.,  1.,  2.,  3.,  4.,  5.,   6.,    7.,    8.,     9.,
                                10., 11., 12., 14., 16., 512., 3440., 6880., 12000., 16000.})
      if (holds(number, wanted, [&](const std::string&) { return Json(named); }))
        found.push_back(number);
    if (!found.empty()) break;
  }
  return found;
}

Json setting_meeting(const Json& wanted) {
  const bool comparison =
      comparison_of(wanted) || (wanted.is_array() && !wanted.empty() && comparison_of(wanted[0]));
  if (!comparison) return wanted.is_array() && !wanted.empty() ? wanted[0] : wanted;
  const auto numbers = numbers_meeting(wanted);
  if (numbers.empty()) throw InputError("no number meets " + wanted.dump());
  return numbers.front();
}

/// The name that counts the difficulty, and its sizes; letters where no condition names one.
std::pair<std::string, std::vector<double>> sizes_in(const Conditions& readings) {
  for (const auto& [name, wanted] : readings)
    if (name != "what" && name != "iterations") {
      auto sizes = numbers_meeting(wanted);
      std::erase(sizes, 0.0);
      if (sizes.empty()) sizes = {0};
      return {name, sizes};
    }
  return {"letters", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 32}};
}

std::vector<double> iterations_in(const Conditions& readings) {
  for (const auto& [name, wanted] : readings)
    if (name == "iterations") return numbers_meeting(wanted);
  return {1, 2};
}

std::vector<std::string> whats_in(const Conditions& readings) {
  for (const auto& [name, wanted] : readings)
    if (name == "what")
      return wanted.is_array() ? wanted.get<std::vector<std::string>>()
                               : std::vector{wanted.get<std::string>()};
  return {"right"};
}

/// Whether the number counts sizes, not shares.
bool counts(const Ask& ask) {
  return ask.statistic == "n*" || ask.statistic == "largest";
}

double step_of(const Ask& ask) {
  return counts(ask) ? 1 : 0.04;
}

/// A number, or difference, or ratio, that passes or fails by little.
double number_for(const Ask& ask, bool fails) {
  const double by = ask.ratio ? 0.25 : step_of(ask);
  const auto& [sign, limit] = ask.is;
  if (sign == "within") return fails ? limit + by : 0;
  if (sign == ">=") return fails ? limit - by : limit;
  if (sign == "=") return fails ? limit + by : limit;
  if (sign == ">") return fails ? limit : limit + by;
  if (sign == "<=") return fails ? limit + by : limit;
  return fails ? limit : limit - by;
}

}  // namespace

RunSeries planted_series(const Settings& settings, const std::vector<RunReading>& of_seeds,
                         double steps) {
  RunSeries series{settings, {}};
  for (std::uint64_t seed = 1; seed <= of_seeds.size(); ++seed) {
    StoredRun run;
    run.settings = settings;
    run.seed = seed;
    run.steps = run.tokens = steps;
    run.parameters = 10;
    run.stopped = "steps";
    run.trend = LearningCurve::Trend::flat;
    run.readings = {of_seeds[seed - 1]};
    series.runs.emplace(seed, run);
  }
  return series;
}

PlantedRuns::Planted& PlantedRuns::runs_with(const Conditions& conditions) {
  Planted& planted = runs_[key_of(conditions)];
  for (const auto& [name, wanted] : conditions) planted.settings[name] = setting_meeting(wanted);
  return planted;
}

double PlantedRuns::plant(Planted& runs, const Ask& ask, const Conditions& readings, double value) {
  const auto [known, added] = runs.values.emplace(ask.statistic + key_of(readings), value);
  if (!added) return known->second;
  const auto [of, sizes] = sizes_in(readings);
  const std::vector<double> iterations = iterations_in(readings);
  for (const std::string& what : whats_in(readings))
    for (const double at : sizes)
      for (const double after : iterations) {
        RunReading one{.of = of,
                       .at = at,
                       .iterations = after,
                       .layers = after,
                       .score = 0.9,
                       .samples = 1000,
                       .what = what};
        const std::string& how = ask.statistic;
        if (how == "mean" || how == "least" || how == "most") one.score = value;
        if (how == "from half") one.score = 0.5 + value;
        if (counts(ask)) one.score = at <= value ? 1 : 0;
        if (how == "fall" && after == iterations.back()) one.score -= value;
        if (how == "iterations" || how == "most iterations") one.iterations = value;
        if (how == "rank of iterations") one.iterations = 1 + value * at;
        if (how == "iterations on size") one.iterations = value * at;
        runs.readings.push_back(one);
      }
  return value;
}

void PlantedRuns::add_line(const Ask& ask, bool fails) {
  const bool inside = (ask.is.sign == "contains") != fails;
  const double slope = inside ? ask.is.limit : ask.is.limit / 4;
  Settings settings;
  for (const auto& [name, wanted] : *ask.line) settings[name] = setting_meeting(wanted);
  constexpr double kReaches[][3] = {{2, 4, 8}, {2, 4, 9}, {2, 4, 7}, {2, 5, 8}};
  for (int depth = 0; depth < 3; ++depth) {
    settings["depth"] = depth;  // series apart
    std::vector<RunReading> none(4);
    RunSeries series = planted_series(settings, none);
    for (auto& [seed, run] : series.runs) {
      run.readings.clear();
      for (int letters = 1; letters <= 12; ++letters)
        run.readings.push_back({.of = "letters",
                                .at = double(letters),
                                .iterations = 1,
                                .layers = slope * (depth + 1),
                                .score = letters <= kReaches[seed - 1][depth] ? 1. : 0.,
                                .samples = 1000});
    }
    lines_.push_back(std::move(series));
  }
}

void PlantedRuns::add(const Ask& ask, bool fails) {
  if (ask.line) return add_line(ask, fails);
  Planted& ours = runs_with(ask.runs);
  const bool slope = ask.statistic == "iterations on size";
  const double number = slope ? (fails ? 2 : 1) : number_for(ask, fails);
  if (!ask.against) {
    plant(ours, ask, ask.readings, number);
    return;
  }
  Conditions readings = ask.readings;
  for (const auto& condition : ask.against->readings) {
    std::erase_if(readings, [&](const auto& one) { return one.first == condition.first; });
    readings.push_back(condition);
  }
  Planted& theirs = ask.against->other_runs ? runs_with(ask.against->runs) : ours;
  const double rival = counts(ask) ? kRivalReach : kAlone;
  const auto known = ours.values.find(ask.statistic + key_of(ask.readings));
  const double wanted = known == ours.values.end() ? rival
                        : ask.ratio                ? known->second / number
                                                   : known->second - number;
  const double there = plant(theirs, ask, readings, wanted);
  plant(ours, ask, ask.readings, ask.ratio ? there * number : there + number);
}

void PlantedRuns::add(const PaperCriterion& criterion, bool fails) {
  for (const Ask& ask : criterion.only_if) add(ask, false);
  for (const Ask& ask : criterion.asks)
    add(ask, fails && (&ask == &criterion.asks.back() || ask.statistic == "iterations on size"));
}

std::vector<RunSeries> PlantedRuns::series() const {
  std::vector<RunSeries> all = lines_;
  for (const auto& [key, planted] : runs_) {
    RunSeries series = planted_series(planted.settings, std::vector<RunReading>(seeds_));
    for (auto& [seed, run] : series.runs) run.readings = planted.readings;
    all.push_back(std::move(series));
  }
  return all;
}

}  // namespace logdepth::support
