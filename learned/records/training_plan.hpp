#pragma once

#include <map>
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

/// Settings that the runs of a plan file do not have, "task.teach = none", and of how many runs.
using PlanDefaults = std::map<std::string, std::size_t>;

/// Reads `{"format": "logdepth-plan", "version": 1, "runs": [{"name", "config"},
/// ...]}`. Errors: InputError naming the file, the run and what was expected; names are unique,
/// relative and without "..". `defaults`: receives what the file leaves to defaults.
TrainingPlan read_training_plan(const std::string& file, PlanDefaults* defaults = nullptr);
void write_training_plan(const TrainingPlan& plan, const std::string& file);

}  // namespace logdepth::inline learned_records
