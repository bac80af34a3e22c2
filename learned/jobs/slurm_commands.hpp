#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace logdepth::inline learned_jobs {

/// What Slurm says of a task of a job array.
struct SlurmTask {
  std::string state;         ///< in Slurm's word: "PENDING", "RUNNING", "FAILED", "TIMEOUT", ...
  int exit_status = 0;       ///< of a task that ended itself
  int signal = 0;            ///< that ended it
  std::string node, reason;  ///< where it runs, why it does not yet
};
/// The number of a job, and of a task of its array.
using SlurmTaskPlace = std::pair<std::string, std::size_t>;
using SlurmTasks = std::map<SlurmTaskPlace, SlurmTask>;

/// Errors: InputError where `sbatch` is not on the path.
void expect_slurm();
/// Hands a script to `sbatch` and returns the number of its job. Errors: InputError with what it
/// says when it refuses.
std::string submit_to_slurm(const std::string& script);

/// The tasks of these jobs: those that wait, run or ended a short while ago by `squeue`, earlier
/// ones by `sacct` where the cluster keeps accounts. Absent where Slurm is not installed, or its
/// controller does not answer.
std::optional<SlurmTasks> slurm_tasks(const std::set<std::string>& jobs);

}  // namespace logdepth::inline learned_jobs
