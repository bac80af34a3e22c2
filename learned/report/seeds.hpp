#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/learning_curve.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth {

// Runs that differ in the seed only, as one number.

/// Seeds that specifications ask for.
inline constexpr std::size_t kSeedsAsked = 3;

/// The middle value, the mean of the two in the middle of an even number of values.
std::optional<double> median(std::vector<double> values);

/// A number of several seeds.
struct SeedRange {
  double median = 0, least = 0, most = 0;
  std::size_t seeds = 0;
};
/// Absent without values.
std::optional<SeedRange> seed_range(const std::vector<double>& values);

/// The mean over seeds with its standard error.
struct SeedMean {
  double mean = 0;
  std::optional<double> error;  ///< absent of one seed
  std::size_t seeds = 0;
};
/// Absent without values.
std::optional<SeedMean> seed_mean(const std::vector<double>& values);
/// "0.812 ± 0.010", without an error of one seed.
std::string mean_text(const SeedMean& mean);
/// The same of a difference: "+0.031 ± 0.008".
std::string difference_text(const SeedMean& mean);

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
/// "measured", and how training ended where that may have cut it off: "still rising: 1 of 3", "seed
/// 2 diverged after 7 steps".
std::string ends_text(const std::vector<RunEnd>& runs);

/// The configuration without what runs of one series may differ in: seed, name of the preset, and
/// when points of the learning curve are taken.
nlohmann::ordered_json settings_of_series(const RunConfig& config);

/// Settings by path, "model.width": "64".
using FlatSettings = std::map<std::string, std::string>;
/// Adds those of an object; paths begin with `path`.
void flatten(const nlohmann::ordered_json& json, const std::string& path, FlatSettings& settings);

}  // namespace logdepth
