#pragma once

#include <cstddef>
#include <string>

#include "learned/records/training_plan.hpp"

namespace logdepth::inline learned_jobs {

/// How the runs of a plan are carried out.
struct JobOptions {
  std::string out;  ///< a run is stored in out/name
  std::string device = "cpu";
  std::size_t jobs = 1;       ///< processes at once
  std::size_t threads = 1;    ///< of each; more than one gives up repeatable bits
  std::size_t together = 16;  ///< runs that one process may train as one stack (stacks_with)
};

/// Carries out every run that has no record yet, each in a process of its own or with others that it
/// stacks with, and says of each what came out. A run that was interrupted goes on from its checkpoint. Returns the largest exit
/// status. Errors: InputError where the training program is not there, or a folder holds another
/// run.
int carry_out(const TrainingPlan& plan, const JobOptions& options);

}  // namespace logdepth::inline learned_jobs
