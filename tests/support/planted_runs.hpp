#pragma once

#include <map>
#include <string>
#include <vector>

#include "learned/report/criteria.hpp"
#include "learned/report/series.hpp"

namespace logdepth::support {

/// Runs that were never trained, whose readings make a criterion hold or fail.
class PlantedRuns {
 public:
  explicit PlantedRuns(std::uint64_t seeds) : seeds_(seeds) {}

  /// Plants what makes all asks hold; with `fails` the last one does not.
  void add(const PaperCriterion& criterion, bool fails);
  std::vector<RunSeries> series() const;

 private:
  struct Planted {
    Settings settings;
    std::map<std::string, double> values;  ///< by the readings that they were planted for
    RunReadings readings;
  };
  Planted& runs_with(const Conditions& conditions);
  /// The value that is there, or this one, planted.
  double plant(Planted& runs, const Ask& ask, const Conditions& readings, double value);
  void add(const Ask& ask, bool fails);
  void add_line(const Ask& ask, bool fails);

  std::uint64_t seeds_;
  std::map<std::string, Planted> runs_;  ///< by their conditions
  std::vector<RunSeries> lines_;
};

/// A series of one reading a seed, at one budget.
RunSeries planted_series(const Settings& settings, const std::vector<RunReading>& of_seeds,
                         double steps = 100);

}  // namespace logdepth::support
