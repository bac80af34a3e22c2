#pragma once

#include <string>
#include <vector>

#include "learned/records/training_plan.hpp"

namespace logdepth::inline learned_jobs {

/// How far a run of a plan is.
struct RunState {
  enum class Kind {
    done,     ///< its record is there, with a result
    running,  ///< a task of Slurm, or a command on some machine
    pending,  ///< a task that waits
    failed,  ///< it diverged, its folder cannot be read, or a task ended itself with an exit status
    killed,  ///< it was ended, or it ended without a record
    missing  ///< nothing is known but that there is no record
  };
  Kind kind = Kind::missing;
  std::string detail;
};

/// Of every run, in the order of the plan: by its folder below `out` and, where it was submitted, by
/// what Slurm says. Without Slurm by the folder alone.
struct PlanStates {
  std::vector<RunState> runs;
  bool slurm_answered = true;  ///< whether Slurm was there, if it had to be asked
};
PlanStates states_of(const TrainingPlan& plan, const std::string& out);

/// Prints a table of all runs.
int print_states(const TrainingPlan& plan, const std::string& out);
/// Prints the folders of the runs that are done, and says of each what came out. Exit status 3 where
/// a run has no result.
int collect(const TrainingPlan& plan, const std::string& out);

}  // namespace logdepth::inline learned_jobs
