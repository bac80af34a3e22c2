#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "learned/jobs/training_jobs.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_jobs {

/// Prints a table of all runs, each with its state, by its folder alone.
int print_states(const TrainingPlan& plan, const std::string& out);

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

/// Submits the runs that are neither done nor at work as one job array, a task each, and says what was
/// left out. Their plan and the script stay in out/slurm/N. Errors: InputError where nothing could be
/// submitted, with the reason.
int submit_array(const TrainingPlan& plan, const JobOptions& options, const SlurmOptions& slurm);

}}  // namespace logdepth::learned_jobs
