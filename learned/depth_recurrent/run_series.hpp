#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/depth_recurrent/ablations.hpp"
#include "learned/depth_recurrent/difficulty_task.hpp"
#include "learned/depth_recurrent/published_depth_recurrent.hpp"
#include "learned/records/learning_curve.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/frontier.hpp"
#include "learned/report/run_table.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// What runs are asked, as reports say it.
struct RecurrentSubject {
  std::string name;         ///< as of the experiment's runs: "graphs-twin", "expressions"
  std::string explanation;  ///< a paragraph
  std::string unit;         ///< of difficulties: "hops", "depth"
  std::string rows;         ///< what the rows of a heatmap are
  const PublishedHeatmap* published = nullptr;

  /// "8 hops", "depth 8".
  std::string difficulty(std::uint32_t value) const;
};

/// One training run as reports use it.
struct RecurrentRun {
  std::string folder;  ///< as it was read; empty for a record from elsewhere
  std::uint64_t seed = 0;
  AccuracyHeatmap heatmap;
  std::size_t samples = 0;            ///< per cell
  std::vector<LoopReading> readings;  ///< none of a run that diverged
  LearningCurve::Trend trend = LearningCurve::Trend::unknown;
  std::string early_end;  ///< as in "diverged after 4 steps"; empty where it made all its steps
  std::vector<double> shortcut;  ///< of expressions, by difficulty: share that two rounds decide

  /// As in "diverged after 4 steps", else the trend as in "still improving".
  std::string state() const;
};

/// Runs that differ in the seed only, ascending. Records of one seed and the same result are one.
struct RecurrentRunGroup {
  RunConfig config;  ///< of the first run
  std::vector<RecurrentRun> runs;
  AccuracyHeatmap median;                      ///< cell by cell
  std::vector<SettingDifference> differences;  ///< to the base of the series
  std::vector<RecurrentAblation> ablations;    ///< that these are made of; none: the base

  const DifficultySettings& task() const { return config.task.as<DifficultySettings>(); }
  TrainedRange trained() const;
  /// As in "seed 1", "median of seeds 1, 2, 3", or "median of 10 seeds" where they are many.
  std::string seeds() const;
  /// Of the median over the seeds, loop by loop; empty where no run has readings.
  std::vector<LoopReading> readings() const;
};

/// All runs about one subject: the base, which has the settings of its preset (that of a CPU or of
/// paper size, whichever is nearer) or those nearest to them, and its ablations.
struct RecurrentSeries {
  RecurrentSubject subject;
  std::vector<RecurrentRunGroup> groups;         ///< the base first
  std::vector<SettingDifference> unlike_preset;  ///< what the base has differently from its preset

  const RecurrentRunGroup& base() const { return groups.front(); }
  /// The groups that are of this ablation alone, in the order of their records.
  std::vector<const RecurrentRunGroup*> of(RecurrentAblation ablation) const;
  /// Those that are of more than one.
  std::vector<const RecurrentRunGroup*> of_several() const;
};

/// The runs of this paper's tasks among the records, a series for each subject: graphs by their
/// generators, expressions, families. Errors: InputError where there is no such run; naming the
/// file of a result that is not one of its task; naming both files of runs that have the same
/// settings and seed and not the same result; naming a run and a setting where runs about one
/// subject differ in more than ablations; naming the seed where the runs on `natural` under one
/// supervision lack it and those under the other have it (DR-3 compares them).
std::vector<RecurrentSeries> recurrent_series(const std::vector<RunRecord>& records);

}  // namespace logdepth::inline learned_depth_recurrent
