#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/records/reading.hpp"

namespace logdepth { inline namespace learned_report {

// Training runs as comparisons read them, of any task and of any program that writes such records: runs that differ
// in the seed only are a series.

/// Settings by path, "model.width".
using Settings = std::map<std::string, nlohmann::ordered_json>;

/// A configuration as settings.
Settings flat_settings(const nlohmann::ordered_json& config);

struct StoredRun {
  Settings settings;
  std::uint64_t seed = 0;
  double steps = 0, tokens = 0, parameters = 0, seconds = 0;
  std::string stopped;  ///< "steps" where it made all of them
  std::string machine;
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;
  RunReadings readings;
  /// Of words: "monoid", its name, and "automaton" or "crasp" as its task writes them.
  nlohmann::ordered_json language = nlohmann::ordered_json::object();

  bool improving() const { return trend == LearningCurve::Trend::rising; }
  bool ended_early() const { return stopped != "steps"; }
  /// Of the steps that it was to make.
  double share_of_steps() const;
};

/// The runs at all places (stored_records), each once. What cannot be read is left out, with its message. Errors:
/// those of stored_records, and InputError for a place without records.
std::vector<StoredRun> stored_runs(const std::vector<std::string>& places,
                                   std::vector<std::string>& unreadable);

struct RunSeries {
  Settings settings;                        ///< of its first run
  std::map<std::uint64_t, StoredRun> runs;  ///< by seed; of equal ones that with the most steps

  const StoredRun& first() const { return runs.begin()->second; }
  /// The value of a setting; null where it is not there.
  const nlohmann::ordered_json& setting(const std::string& name) const;
  std::size_t improving() const;
  bool ended_early() const;
  /// The least of its runs.
  double share_of_steps() const;
};
/// In the order of their first runs.
std::vector<RunSeries> series_of(const std::vector<StoredRun>& runs);
/// Whether runs of one series may differ in it.
bool differs_in_series(const std::string& setting);

/// Conditions on named values, all of which hold. A condition is a value; "<= 5", where a name may stand for the
/// number; or a list: of such comparisons all of which hold, of values one of which does.
using Conditions = std::vector<std::pair<std::string, nlohmann::ordered_json>>;

/// "<= 0.05": how a number is compared, and with what.
struct Comparison {
  std::string sign;   ///< <=, >=, <, >, =, !=
  std::string limit;  ///< a number, or a name that stands for one
};
/// Absent where the text is none.
std::optional<Comparison> comparison_of(const nlohmann::ordered_json& text);
/// Precondition: the sign is one of a Comparison.
bool compares(double value, const std::string& sign, double limit);
/// The number that a text is; absent where it is none.
std::optional<double> number_in(const std::string& text);

/// Whether a value meets a condition; `named` gives the values of names in comparisons.
bool holds(const nlohmann::ordered_json& value, const nlohmann::ordered_json& wanted,
           const std::function<nlohmann::ordered_json(const std::string& name)>& named);

std::vector<const RunSeries*> among(const std::vector<const RunSeries*>& series,
                                    const Conditions& where);
/// Readings of a run for which they hold: of what is right, and of the network as it runs by itself, where they name
/// neither "what" nor "iterations".
RunReadings picked(const StoredRun& run, const Conditions& where);

/// "{model.width}" stands for the setting; `say` has other words for values. Empty places leave nothing behind.
std::string label_of(const RunSeries& series, const std::string& pattern,
                     const std::map<std::string, std::string>& say);

struct WeightedPoint {
  double x = 0, y = 0, weight = 1;
};
/// y = slope x + intercept by least squares.
struct FittedLine {
  double slope = 0, intercept = 0;
  double r2 = 0;  ///< share of the variance of y; 1 where all y are the same
};
/// Absent for fewer than two different x that weigh something.
std::optional<FittedLine> weighted_line(const std::vector<WeightedPoint>& points);

/// A network that was trained with so many layers, and how far it got.
struct NetworkReach {
  double layers = 0;
  std::uint64_t seed = 0;
  double n_star = 0;
  bool improving = false;  ///< its score still rose when training ended, or nobody knows
  bool at_end = false;     ///< it solved the largest size that was asked: n* is a least
};
/// Of every run, after all of its iterations.
std::vector<NetworkReach> network_reaches(const std::vector<const RunSeries*>& series);

/// Layers d on log2 of the median n* over seeds, and on n* itself as a rival, at one budget.
struct LayersFit {
  FittedLine doubling;       ///< d = slope log2 n* + intercept
  double low = 0, high = 0;  ///< 95 % interval of its slope: whole seeds resampled kResamples times
  FittedLine straight;       ///< d = slope n* + intercept
  double straight_low = 0, straight_high = 0;
  std::size_t networks = 0;   ///< that reach something
  std::size_t improving = 0;  ///< of them
  std::size_t at_end = 0;     ///< of them
};
inline constexpr int kResamples = 10000;
/// Absent without three depths that reach something with different medians. A seed without a network of a depth
/// leaves it to the others.
std::optional<LayersFit> layers_fit(const std::vector<const RunSeries*>& series);

}}  // namespace logdepth::learned_report
