#pragma once

#include <string>
#include <vector>

#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_records {

/// A training run with a name, the folder below the plan's own where it is stored.
struct PlannedRun {
  std::string name;  ///< as "S3/stack-4/seed-1"
  RunConfig config;
};
using TrainingPlan = std::vector<PlannedRun>;

/// Reads `{"format": "logdepth-plan", "version": 1, "runs": [{"name", "config"},
/// ...]}`. Errors: InputError naming the file, the run and what was expected; names are unique,
/// relative and without "..".
TrainingPlan read_training_plan(const std::string& file);
void write_training_plan(const TrainingPlan& plan, const std::string& file);

}  // namespace logdepth::inline learned_records
