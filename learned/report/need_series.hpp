#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/line_fit.hpp"

namespace logdepth::inline learned_report {

/// One training of a network of fixed depth on words as long as it could learn.
struct NeedSeed {
  std::uint64_t seed = 0;
  double reach = 0;       ///< n*
  double loose = 0;       ///< the largest single index that is solved
  bool censored = false;  ///< nothing longer was measured
  double trained = 0;     ///< letters of the longest words that it was trained on
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;
  std::map<std::uint64_t, double> after_steps;  ///< n* of the learning curve, the end included
  std::vector<double> after_loops;              ///< n* after 1, 2, ... loops; empty of a stack
  std::vector<double> beyond;  ///< accuracy at n*, n* + 1, n* + 2, as far as measured

  bool settled() const { return !censored && trend == LearningCurve::Trend::flat; }
};

/// All seeds of one depth.
struct NeedDepth {
  std::uint32_t layers = 0;     ///< executed
  std::vector<NeedSeed> seeds;  ///< by seed
  std::size_t diverged = 0;     ///< seeds without a result, which are none of these

  double median() const;
  double least() const;
  double most() const;
  std::size_t settled() const;
};

/// By how much of a doubling of n* a layer more lengthens the median over seeds, at one budget. A
/// description of that budget, no law.
struct Purchase {
  double doublings = 0;
  Percentiles interval;        ///< over the resamples that could be fitted
  std::size_t resamples = 0;   ///< of whole seeds, each with all of its depths
  std::size_t not_fitted = 0;  ///< of them: a median below 1 has no logarithm
};

/// Networks of one problem, kind and budget; their other settings agree.
struct NeedSeries {
  std::string problem;  ///< "A5"
  std::string kind;     ///< "loop", "stack"
  std::uint32_t width = 0;
  std::uint64_t steps = 0;           ///< of every run
  std::optional<bool> solvable;      ///< whether all groups of the monoid are
  std::vector<std::string> devices;  ///< each once
  double seconds = 0;                ///< of training, of all stacks
  double least_tokens = 0, most_tokens = 0;
  std::vector<NeedDepth> depths;  ///< ascending
  std::optional<Purchase> purchase;
  std::string no_purchase;  ///< why not, a phrase

  std::size_t settled_depths() const;
};

/// Depths that a slope or a law needs.
inline constexpr std::size_t kNeedDepths = 5;

/// The series of the records whose words share rows (WordTaskConfig::row_tokens); the others are left
/// out. Problems in the order of `problems`, then by name. Errors: InputError naming the run, where
/// settings of a series differ or a run ended before its steps.
std::vector<NeedSeries> need_series(const std::vector<RunRecord>& records,
                                    const std::vector<std::string>& problems);

}  // namespace logdepth::inline learned_report
