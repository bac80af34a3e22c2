#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/report/verdict.hpp"

namespace logdepth {

/// A criterion of a specification about a series of runs as reports state it.
struct SeriesCriterion {
  struct Part {
    std::string asks, found;
    /// Absent of what is reported without a threshold.
    std::optional<Verdict> verdict;
  };
  std::string name;    ///< "LO-3"
  std::string series;  ///< its title; of no series what was not run
  Verdict verdict = Verdict::undecided;
  std::size_t seeds = 0;  ///< the fewest of a series that takes part
  /// How many runs of the series pass by themselves, of those that have the numbers of the first
  /// `parts`, which have a threshold for one run.
  struct Alone {
    std::size_t judged = 0, passing = 0, parts = 0;
  };
  std::optional<Alone> alone;
  std::vector<Part> parts;
  std::vector<std::string> missing;  ///< what to run for a verdict
};

/// Collects the parts of a criterion with what they lack.
class CriterionBuilder {
 public:
  CriterionBuilder(const char* name, std::string series) {
    criterion_.name = name;
    criterion_.series = std::move(series);
  }

  CriterionBuilder& part(std::string asks, std::string found, std::optional<Verdict> verdict) {
    criterion_.parts.push_back({std::move(asks), std::move(found), verdict});
    return *this;
  }
  /// A number of so many seeds that takes part; `what` is to be run where there is none.
  CriterionBuilder& needs(std::size_t seeds, const std::string& what) {
    if (seeds == 0)
      criterion_.missing.push_back(what);
    else
      criterion_.seeds = criterion_.seeds == 0 ? seeds : std::min(criterion_.seeds, seeds);
    return *this;
  }
  CriterionBuilder& alone(const SeriesCriterion::Alone& seeds) {
    criterion_.alone.emplace(seeds);
    return *this;
  }
  SeriesCriterion done(Verdict verdict) {
    criterion_.verdict = verdict;
    return criterion_;
  }

 private:
  SeriesCriterion criterion_;
};

/// An item of a list, and its parts as items below it. `seeds_are`: how seeds became one number,
/// "median".
std::string criterion_markdown(const SeriesCriterion& criterion, const std::string& seeds_are);
nlohmann::ordered_json criterion_json(const SeriesCriterion& criterion);

}  // namespace logdepth
