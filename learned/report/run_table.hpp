#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/records/training_config.hpp"
#include "report/data.hpp"

namespace logdepth::inline learned_report {

// Training runs as a table: those that differ in the seed only are one series, by the settings in
// which series differ.

// --- settings ------------------------------------------------------------------------------------

/// The configuration without what runs of one series may differ in: seed, name of the preset, and
/// when points of the learning curve are taken.
nlohmann::ordered_json settings_of_series(const RunConfig& config);

/// Settings by path, "model.width": "64".
using FlatSettings = std::map<std::string, std::string>;
/// Adds those of an object; paths begin with `path`.
void flatten(const nlohmann::ordered_json& json, const std::string& path, FlatSettings& settings);
/// The settings of a series.
FlatSettings flat_settings(const RunConfig& config);

/// Paths; one that ends in a point stands for all that begin so.
using SettingNames = std::set<std::string>;
bool is_among(const SettingNames& names, const std::string& path);
SettingNames both(SettingNames names, const SettingNames& more);

/// A setting that two runs have differently, by its path as `--set` takes it.
struct SettingDifference {
  std::string setting;  ///< as in "model.loops.kind"
  std::string base, value;
  bool operator==(const SettingDifference&) const = default;
};
/// By path. A setting that is not there, as in a group that is absent, has the value "none".
std::vector<SettingDifference> setting_differences(const FlatSettings& base,
                                                   const FlatSettings& other);
std::vector<SettingDifference> setting_differences(const RunConfig& base, const RunConfig& other);
/// Whether they differ in these settings at most: with none of the training among them both have had
/// the same budget.
bool alike_but(const FlatSettings& one, const FlatSettings& other, const SettingNames& names);
/// "model.width=64, training.rate=0.001".
std::string settings_text(const SettingNames& names, const FlatSettings& settings);

// --- runs ----------------------------------------------------------------------------------------

/// As in "seed 1", "median of seeds 1, 2, 3", or "median of 10 seeds" where they are many.
std::string seeds_text(const std::vector<std::uint64_t>& seeds);

/// How the training of a run came to its end.
struct RunEnd {
  std::uint64_t seed = 0;
  std::string early_end;  ///< run_record.hpp
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;

  /// It made all its steps and its learning curve still rose.
  bool rising() const { return early_end.empty() && trend == LearningCurve::Trend::rising; }
};
RunEnd run_end(const RunRecord& record);
/// "measured", and how training ended where that may have cut it off: "still improving: 1 of 3", "seed
/// 2 diverged after 7 steps".
std::string ends_text(const std::vector<RunEnd>& runs);
/// Adds "still_rising", how many, and "ended_early": [{"seed", "how"}].
void add_ends(report::Data& data, const std::vector<RunEnd>& ends);

/// The file of a record, for messages.
std::string record_file(const RunRecord& record);

/// Records of equal settings, one for each seed, by seed.
struct RecordGroup {
  FlatSettings settings;
  std::vector<const RunRecord*> records;
};
/// Groups that may stand in one table.
struct RecordSection {
  std::string key;
  std::vector<RecordGroup> groups;
};
struct Grouping {
  /// Absent where the record is of something else.
  std::function<std::optional<std::string>(const RunRecord&)> section;
  std::function<FlatSettings(const RunConfig&)> settings = flat_settings;
};
/// Sections and groups in the order of their first members. Errors: InputError naming both folders
/// where equal settings and seeds have two results.
std::vector<RecordSection> run_table(const std::vector<RunRecord>& records,
                                     const Grouping& grouping);

/// Runs that differ in the seed only. `Run` has `RunEnd end`.
template <class Run>
struct RunSeries {
  RunConfig config;       ///< of the first run
  FlatSettings settings;  ///< what all of them have
  std::vector<Run> runs;  ///< by seed
  /// What tells it from other series beside it: "model.positions=none"; or empty.
  std::string setting;

  std::vector<RunEnd> ends() const {
    std::vector<RunEnd> all;
    for (const Run& run : runs) all.push_back(run.end);
    return all;
  }
  std::vector<std::uint64_t> seeds() const {
    std::vector<std::uint64_t> numbers;
    for (const Run& run : runs) numbers.push_back(run.end.seed);
    return numbers;
  }
  /// "1, 2, 3".
  std::string seeds_cell() const { return report::cell_text(report::Data(seeds())); }
  /// Of the runs that have such a number. `number`: of a run, a number or an optional.
  template <class Number>
  std::vector<double> values(Number number) const {
    std::vector<double> found;
    for (const Run& run : runs)
      if (const std::optional<double> value = number(run)) found.push_back(*value);
    return found;
  }
  template <class Number>
  std::optional<report::Range> range(Number number) const {
    return report::range_of(values(number));
  }
  template <class Number>
  std::optional<report::Mean> mean(Number number) const {
    return report::mean_of(values(number));
  }
};

/// Of each seed that both have, one number less the other. `number`: of a run, an optional.
template <class Series, class Number>
std::vector<double> paired_differences(const Series& ours, const Series& other, Number number) {
  std::vector<double> differences;
  for (const auto& run : ours.runs)
    for (const auto& same : other.runs)
      if (run.end.seed == same.end.seed) {
        const std::optional<double> a = number(run), b = number(same);
        if (a && b) differences.push_back(*a - *b);
      }
  return differences;
}

/// Tells every series in what it differs from those that it is compared with. `ignored`: of two
/// series, the settings that are worth no name; absent where they are not compared. Those that
/// `follow` from others are named alone only.
template <class Series, class Ignored>
void name_settings(std::vector<Series>& all, Ignored ignored, const SettingNames& follow = {}) {
  for (Series& series : all) {
    SettingNames names;
    for (const Series& other : all)
      if (const std::optional<SettingNames> left_out = ignored(series, other))
        for (const SettingDifference& one : setting_differences(other.settings, series.settings))
          if (series.settings.contains(one.setting) && !left_out->contains(one.setting))
            names.insert(one.setting);
    if (names.size() > 1)
      for (const std::string& name : follow) names.erase(name);
    series.setting = settings_text(names, series.settings);
  }
}

}  // namespace logdepth::inline learned_report
