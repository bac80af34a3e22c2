#include "learned/report/series.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include "base/phrases.hpp"
#include "base/text_lines.hpp"
#include "learned/records/counter_random.hpp"
#include "learned/records/run_record.hpp"
#include "logdepth/errors.hpp"
#include "report/report.hpp"

namespace logdepth { inline namespace learned_report {
namespace {

using Json = nlohmann::ordered_json;

void flatten(const Json& json, const std::string& path, Settings& settings) {
  if (!json.is_object()) {
    settings[path] = json;
    return;
  }
  for (const auto& [name, value] : json.items())
    flatten(value, path.empty() ? name : path + "." + name, settings);
}

RunReadings readings_in(const StoredRecord& record) {
  const RecordFields fields(record.json, record.place);
  if (!fields.has("readings"))
    fields.refuse("readings", "a list; remove the record, and its command measures again");
  RunReadings readings;
  for (const Json& one : fields.list("readings"))
    readings.push_back(reading_from_json(fields.entry("readings", one)));
  return readings;
}

std::string machine_in(const RecordFields& machine) {
  if (machine.has("device_name")) return machine.text("device_name");
  if (machine.has("device") && machine.text("device") == "cuda") return "a GPU";
  return machine.has("processor") ? machine.text("processor") : "a machine without a name";
}

StoredRun run_of(const StoredRecord& record) {
  const RecordFields fields(record.json, record.place);
  const RecordFields training = fields.object("training");
  StoredRun run;
  run.settings = flat_settings(record.json["config"]);
  run.seed = fields.count("seed", 0);
  run.steps = training.number("steps");
  run.tokens = training.has("tokens") ? training.number("tokens") : 0;
  run.parameters = training.has("parameters") ? training.number("parameters") : 0;
  run.seconds = training.has("seconds") ? training.number("seconds") : 0;
  run.stopped = training.text("stopped");
  run.machine = machine_in(fields.object("machine"));
  if (training.has("curve")) {
    try {
      run.trend = learning_curve_from_json(record.json["training"]["curve"]).trend();
    } catch (const nlohmann::json::exception&) {
      training.refuse("curve", "a score and points of steps and score");
    }
  }
  run.readings = readings_in(record);
  for (const char* name : {"monoid", "automaton", "crasp"})
    if (record.json["result"].contains(name)) run.language[name] = record.json["result"][name];
  return run;
}

/// The value that a reading has under a name: its own members, and its difficulty by the name of that.
std::optional<Json> member(const RunReading& reading, const std::string& name) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json();
  };
  if (name == "of") return reading.of;
  if (name == "at" || name == reading.of) return reading.at;
  if (name == "iterations") return number(reading.iterations);
  if (name == "layers") return number(reading.layers);
  if (name == "score") return reading.score;
  if (name == "samples") return reading.samples;
  if (name == "what") return reading.what;
  return std::nullopt;
}

bool names(const Conditions& where, const char* name) {
  return std::ranges::any_of(where, [&](const auto& one) { return one.first == name; });
}

}  // namespace

Settings flat_settings(const Json& config) {
  Settings settings;
  flatten(config, "", settings);
  return settings;
}

double StoredRun::share_of_steps() const {
  const auto asked = settings.find("training.steps");
  return asked == settings.end() || !asked->second.is_number() || asked->second == 0
             ? 1
             : steps / asked->second.get<double>();
}

std::vector<StoredRun> stored_runs(const std::vector<std::string>& places,
                                   std::vector<std::string>& unreadable) {
  std::vector<StoredRun> runs;
  std::set<std::filesystem::path> seen;  // places may hold one another
  for (const std::string& place : places) {
    const std::size_t before = runs.size() + unreadable.size();
    for (const StoredRecord& record : stored_records(place, unreadable)) {
      if (!seen.insert(std::filesystem::weakly_canonical(record.place)).second) continue;
      try {
        runs.push_back(run_of(record));
      } catch (const InputError& error) {
        unreadable.push_back(error.what());
      }
    }
    if (runs.size() + unreadable.size() == before && seen.empty())
      throw InputError(fmt::format("{}: expected training runs, found no {} and no file *{}", place,
                                   kRecordFile, kRecordsFile));
  }
  return runs;
}

const Json& RunSeries::setting(const std::string& name) const {
  static const Json kNull;
  const auto found = settings.find(name);
  return found == settings.end() ? kNull : found->second;
}

std::size_t RunSeries::improving() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(runs, [](const auto& run) { return run.second.improving(); }));
}

bool RunSeries::ended_early() const {
  return std::ranges::any_of(runs, [](const auto& run) { return run.second.ended_early(); });
}

double RunSeries::share_of_steps() const {
  double least = 1;
  for (const auto& [seed, run] : runs) least = std::min(least, run.share_of_steps());
  return least;
}

bool differs_in_series(const std::string& setting) {
  static const std::set<std::string> kNames = {"seed",
                                               "preset",
                                               "training.curve_first",
                                               "training.seconds",
                                               "initial_weights",
                                               "shape.chosen",
                                               "network.states_folder"};
  return kNames.contains(setting);
}

std::vector<RunSeries> series_of(const std::vector<StoredRun>& runs) {
  std::vector<RunSeries> all;
  std::map<std::string, std::size_t> known;
  for (const StoredRun& run : runs) {
    std::string key;
    for (const auto& [name, value] : run.settings)
      if (!differs_in_series(name)) key += name + "=" + value.dump() + "\n";
    const auto [at, added] = known.emplace(key, all.size());
    if (added) all.push_back({run.settings, {}});
    const auto [old, first] = all[at->second].runs.emplace(run.seed, run);
    if (!first && old->second.steps < run.steps) old->second = run;
  }
  return all;
}

std::optional<Comparison> comparison_of(const nlohmann::ordered_json& text) {
  if (!text.is_string()) return std::nullopt;
  const auto& string = text.get_ref<const std::string&>();
  const auto words = fields_of(string);
  if (words.size() != 2) return std::nullopt;
  for (const char* sign : {"<=", ">=", "<", ">", "=", "!="})
    if (words[0] == sign) return Comparison{std::string(words[0]), std::string(words[1])};
  return std::nullopt;
}

bool compares(double value, const std::string& sign, double limit) {
  if (sign == "<=") return value <= limit;
  if (sign == ">=") return value >= limit;
  if (sign == "<") return value < limit;
  if (sign == ">") return value > limit;
  if (sign == "=") return value == limit;
  return value != limit;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(value)
                                                                    : std::nullopt;
}

bool holds(const nlohmann::ordered_json& value, const nlohmann::ordered_json& wanted,
           const std::function<nlohmann::ordered_json(const std::string& name)>& named) {
  if (value.is_array()) return value == wanted;
  if (wanted.is_array()) {
    const auto holds_one = [&](const auto& one) { return holds(value, one, named); };
    return std::ranges::all_of(wanted, [](const auto& one) { return bool(comparison_of(one)); })
               ? std::ranges::all_of(wanted, holds_one)
               : std::ranges::any_of(wanted, holds_one);
  }
  const std::optional<Comparison> comparison = comparison_of(wanted);
  if (!comparison) return value == wanted;
  if (!value.is_number()) return false;
  if (const auto limit = number_in(comparison->limit))
    return compares(value.get<double>(), comparison->sign, *limit);
  const nlohmann::ordered_json limit = named(comparison->limit);
  return limit.is_number() && compares(value.get<double>(), comparison->sign, limit.get<double>());
}

std::vector<const RunSeries*> among(const std::vector<const RunSeries*>& series,
                                    const Conditions& where) {
  std::vector<const RunSeries*> found;
  for (const RunSeries* one : series)
    if (std::ranges::all_of(where, [&](const auto& condition) {
          return holds(one->setting(condition.first), condition.second,
                       [&](const std::string& name) { return one->setting(name); });
        }))
      found.push_back(one);
  return found;
}

RunReadings picked(const StoredRun& run, const Conditions& where) {
  const bool imposed = names(where, "iterations"), counted = names(where, "what");
  RunReadings found;
  for (const RunReading& reading : run.readings) {
    if (!reading.own && !imposed) continue;
    if (!counted && reading.what != "right") continue;
    if (std::ranges::all_of(where, [&](const auto& condition) {
          const std::optional<Json> value = member(reading, condition.first);
          return value && holds(*value, condition.second, [&](const std::string& name) {
                   return member(reading, name).value_or(Json());
                 });
        }))
      found.push_back(reading);
  }
  return found;
}

std::string label_of(const RunSeries& series, const std::string& pattern,
                     const std::map<std::string, std::string>& say) {
  std::string filled;
  for (std::size_t at = 0; at < pattern.size();) {
    const std::size_t open = pattern.find('{', at), close = pattern.find('}', open);
    filled += pattern.substr(at, open - at);
    if (close == std::string::npos) break;
    const Json& value = series.setting(pattern.substr(open + 1, close - open - 1));
    const std::string text = value.is_null()     ? ""
                             : value.is_string() ? value.get<std::string>()
                                                 : value.dump();
    const auto other = say.find(text);
    filled += other == say.end() ? text : other->second;
    at = close + 1;
  }
  std::vector<std::string> words;
  for (const std::string_view word : fields_of(filled)) {
    if (word == "," && !words.empty()) {
      words.back() += word;
    } else {
      words.emplace_back(word);
    }
  }
  std::string label = joined(words, " ");
  while (label.ends_with(',')) label.pop_back();
  return label;
}

namespace {

/// n* by depth and seed.
using Reaches = std::map<double, std::map<std::uint64_t, double>>;

/// Depths on `scale` of the median n* of these seeds, which may name one several times.
std::optional<FittedLine> fit(const Reaches& reaches, const std::vector<std::uint64_t>& seeds,
                              double (*scale)(double)) {
  std::vector<WeightedPoint> points;
  for (const auto& [layers, of] : reaches) {
    std::vector<double> chosen;
    for (const std::uint64_t seed : seeds)
      if (const auto found = of.find(seed); found != of.end()) chosen.push_back(found->second);
    points.push_back({scale(report::median(chosen).value_or(1)), layers, 1});
  }
  return weighted_line(points);
}

double same(double n) {
  return n;
}
double log_of(double n) {
  return std::log2(n);
}

}  // namespace

std::optional<FittedLine> weighted_line(const std::vector<WeightedPoint>& points) {
  double total = 0, x = 0, y = 0;
  std::set<double> different;
  for (const WeightedPoint& one : points) {
    total += one.weight;
    x += one.weight * one.x;
    y += one.weight * one.y;
    if (one.weight > 0) different.insert(one.x);
  }
  if (different.size() < 2) return std::nullopt;
  x /= total;
  y /= total;
  double xx = 0, xy = 0, yy = 0;
  for (const WeightedPoint& one : points) {
    xx += one.weight * (one.x - x) * (one.x - x);
    xy += one.weight * (one.x - x) * (one.y - y);
    yy += one.weight * (one.y - y) * (one.y - y);
  }
  const double slope = xy / xx;
  return FittedLine{slope, y - slope * x, yy > 0 ? slope * slope * xx / yy : 1};
}

std::vector<NetworkReach> network_reaches(const std::vector<const RunSeries*>& series) {
  std::vector<NetworkReach> all;
  for (const RunSeries* one : series)
    for (const auto& [seed, run] : one->runs) {
      double last = 0, largest = 0;
      for (const RunReading& reading : run.readings)
        last = std::max(last, reading.iterations.value_or(0));
      RunReadings right;
      for (const RunReading& reading : run.readings)
        if (reading.what == "right" && reading.iterations.value_or(0) == last) {
          right.push_back(reading);
          largest = std::max(largest, reading.at);
        }
      if (right.empty()) continue;
      const double n = reached(right);
      all.push_back({right.front().layers.value_or(0), seed, n,
                     run.improving() || run.trend == LearningCurve::Trend::unknown, n == largest});
    }
  return all;
}

std::optional<LayersFit> layers_fit(const std::vector<const RunSeries*>& series) {
  LayersFit found;
  Reaches reaches;
  std::set<std::uint64_t> names;
  for (const NetworkReach& one : network_reaches(series)) {
    if (one.n_star <= 0) continue;
    reaches[one.layers][one.seed] = one.n_star;
    names.insert(one.seed);
    ++found.networks;
    found.improving += one.improving;
    found.at_end += one.at_end;
  }
  if (reaches.size() < 3) return std::nullopt;
  const std::vector<std::uint64_t> seeds(names.begin(), names.end());
  const auto doubling = fit(reaches, seeds, log_of), straight = fit(reaches, seeds, same);
  if (!doubling || !straight) return std::nullopt;
  found.doubling = *doubling;
  found.straight = *straight;
  std::vector<double> slopes, straight_slopes;
  for (int i = 0; i < kResamples; ++i) {
    CounterRandom random(1, RandomStream::bootstrap, static_cast<std::uint64_t>(i));
    std::vector<std::uint64_t> drawn;
    for (std::size_t k = 0; k < seeds.size(); ++k)
      drawn.push_back(seeds[random.below(seeds.size())]);
    // Medians that are all the same: no length buys any depth.
    const auto slope = [](const std::optional<FittedLine>& line) {
      return line ? line->slope : std::numeric_limits<double>::infinity();
    };
    slopes.push_back(slope(fit(reaches, drawn, log_of)));
    straight_slopes.push_back(slope(fit(reaches, drawn, same)));
  }
  const auto interval = [](std::vector<double> values, double& low, double& high) {
    std::ranges::sort(values);
    low = values[static_cast<std::size_t>(0.025 * kResamples)];
    high = values[static_cast<std::size_t>(0.975 * kResamples)];
  };
  interval(slopes, found.low, found.high);
  interval(straight_slopes, found.straight_low, found.straight_high);
  return found;
}

}}  // namespace logdepth::learned_report
