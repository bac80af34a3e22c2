#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "learned/jobs/training_jobs.hpp"

namespace logdepth::inline learned_jobs {

/// What the tasks of a job array ask for.
struct SlurmOptions {
  std::string name;                          ///< of the job
  std::string partition, time;               ///< empty: the cluster's own
  std::optional<std::uint64_t> array_limit;  ///< tasks at once
  std::optional<std::uint64_t> memory;       ///< GiB of each; absent: the cluster's own
  std::string gres;                          ///< empty: a GPU where the device is one
  /// Prints the script instead of submitting it; writes nothing and needs no Slurm.
  bool dry_run = false;
};

/// Submits the runs that are neither done nor waiting nor running as one job array, a task each, and
/// says what was left out. Errors: InputError where nothing could be submitted, with the reason.
int submit_array(const TrainingPlan& plan, const JobOptions& options, const SlurmOptions& slurm);

}  // namespace logdepth::inline learned_jobs
