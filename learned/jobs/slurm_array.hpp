#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "learned/jobs/training_jobs.hpp"

namespace logdepth {

/// What the tasks of a job array ask for.
struct SlurmOptions {
  std::string name;                          ///< of the job
  std::string partition, time;               ///< empty: the cluster's own
  std::optional<std::uint64_t> array_limit;  ///< tasks at once
  std::optional<std::uint64_t> memory;       ///< GiB of each; absent: the cluster's own
};

/// A job array that was submitted: out/slurm/N holds its runs (`plan.json`, in the order of its
/// tasks), the script (`array.sh`) and the number of its job (`job`).
struct SlurmArray {
  std::string folder, job;
  std::vector<std::string> runs;
};
inline constexpr const char* kSlurmFolder = "slurm";  ///< below the folder of the runs
inline constexpr const char* kTaskLog = "slurm.log";  ///< in the folder of a run, of all its tasks

/// In the order of their submission. Errors: InputError where a file of theirs is not as written.
std::vector<SlurmArray> submitted_arrays(const std::string& out);

/// Submits the runs that are neither done nor waiting nor running as one job array, a task each, and
/// says what was left out. Errors: InputError where nothing could be submitted, with the reason.
int submit_array(const TrainingPlan& plan, const JobOptions& options, const SlurmOptions& slurm);

}  // namespace logdepth
