#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/depth_recurrent/depth_recurrent_verdicts.hpp"
#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/records/run_record.hpp"
#include "learned/report/frontier.hpp"

namespace logdepth {

/// One training run of the hop task as reports use it.
struct HopRun {
  std::string name;  ///< of its folder
  std::uint64_t seed = 0;
  AccuracyHeatmap heatmap;
  std::size_t graphs = 0;  ///< per cell
};

/// Runs that differ in the seed only. Of several runs with one seed the first is taken.
struct HopRunGroup {
  RunConfig config;  ///< of the first run
  std::vector<HopRun> runs;
  AccuracyHeatmap median;  ///< cell by cell

  const HopTaskConfig& task() const { return config.task.as<HopTaskConfig>(); }
  /// As in "twin, loss after the last loop".
  std::string title() const;
  /// Those of `seeds_text`.
  std::string seeds() const;
};

/// The runs of the hop task among the records, in the order of their first members; records of
/// other tasks are left out. Errors: InputError naming the file of a result that is not one of this
/// task.
std::vector<HopRunGroup> hop_run_groups(const std::vector<RunRecord>& records);

/// Groups on the `natural` generator that differ in the supervision only, as DR-3 compares them.
struct SupervisionComparison {
  std::vector<SupervisionOutcome> last, mean_steps;  ///< by seed
  SupervisionVerdict verdict;
  std::string preset;  ///< of the first run
};
std::vector<SupervisionComparison> supervision_comparisons(const std::vector<HopRunGroup>& groups);

}  // namespace logdepth
