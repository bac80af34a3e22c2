#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/data.hpp"
#include "report/statistics.hpp"

namespace logdepth::report {

/// What became of a criterion; one that speaks of what was not measured is undecided.
enum class Verdict { passed, failed, undecided };
const char* verdict_name(Verdict verdict);
/// "reproduced", "not reproduced at this scale", "undecided".
const char* reproduced_name(Verdict verdict);
/// Failed if one failed, passed if all passed and there are any.
Verdict overall(const std::vector<Verdict>& parts);
inline Verdict decided(bool passed) {
  return passed ? Verdict::passed : Verdict::failed;
}

/// Accuracies are shares of whole counts: .56 is meant to be within .06 of .5 although its double
/// is not.
inline constexpr double kRounding = 1e-9;

/// What a number has to be, but for rounding.
struct Threshold {
  enum class Is { at_least, at_most, above, below };
  Is is = Is::at_least;
  double limit = 0;
};
/// Undecided without a number.
Verdict judge(const std::optional<double>& number, const Threshold& threshold);

/// A criterion of a specification as reports state it.
struct Criterion {
  struct Part {
    std::string asks, found;
    /// Absent of what is reported without a threshold.
    std::optional<Verdict> verdict;
  };
  /// How many runs of the series pass by themselves, of those that have the numbers of the first
  /// `parts`, which have a threshold for one run.
  struct Alone {
    std::size_t judged, passing, parts;
  };
  std::string name;    ///< "LO-3"
  std::string series;  ///< its title; of no series what was not run
  std::vector<Part> parts = {};
  std::size_t seeds = 0;  ///< the fewest of a series that takes part
  std::size_t seeds_asked = kSeedsAsked;
  std::optional<Alone> alone = {};
  std::vector<std::string> missing = {};  ///< what to run for a verdict

  Criterion& part(std::string asks, std::string found, std::optional<Verdict> verdict);
  /// A number of so many seeds that takes part; `what` is to be run where there is none.
  Criterion& needs(std::size_t seeds, const std::string& what);
  /// Of the first parts that have one; undecided without any.
  Verdict verdict(std::size_t of_parts = std::string::npos) const;
};

/// The criterion of a series, and how many of its runs pass the first `parts` by themselves. `make`:
/// the criterion of a series, which is asked for the same series with each run alone too.
template <class Series, class Make>
Criterion with_each_seed(const Series& series, std::size_t parts, Make make) {
  Criterion criterion = make(series);
  Criterion::Alone& alone = criterion.alone.emplace(Criterion::Alone{0, 0, parts});
  Series one = series;
  for (const auto& run : series.runs) {
    one.runs = {run};
    const Verdict of_run = make(one).verdict(parts);
    alone.judged += of_run != Verdict::undecided;
    alone.passing += of_run == Verdict::passed;
  }
  return criterion;
}

/// An item of a list, and its parts as items below it. `seeds_are`: how seeds became one number,
/// "median".
std::string criterion_markdown(const Criterion& criterion, const std::string& seeds_are);
Data data_of(const std::vector<Criterion>& criteria);

}  // namespace logdepth::report
