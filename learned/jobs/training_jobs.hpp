#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_jobs {

/// The record of a run that is done; absent where it is to be begun, or gone on with. Errors:
/// InputError where the folder holds a run of another configuration.
std::optional<RunRecord> finished_record(const PlannedRun& run, const std::string& folder);

/// Whether its loss became no number: what is measured of such a network is no result.
bool diverged(const RunRecord& record);

/// What came out, in a line: "Z2: n* = 4; 40 steps, 0.1 s, stopped by steps", "no result: diverged after
/// 7 steps".
std::string outcome(const RunRecord& record);

/// The right to write in a folder, which one command has at a time: an advisory lock of the open
/// file `.lock` in it (F_OFD_SETLK). It ends with the last process that has the descriptor, however
/// that process ends; the file stays. It holds between machines where the file system has locks, as
/// NFS does; where there are none, that is said and nothing is locked.
class FolderLock {
 public:
  /// Makes the folder where there is none. Errors: InputError where it cannot be made, or another
  /// command has it: the sentence names the folder and that command's process.
  explicit FolderLock(const std::string& folder);

  /// For a process that is started and is to hold it as well.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  std::shared_ptr<void> held_;  ///< closes the descriptor with the last copy
};

/// Who has the folder now, as "process 7 on node1, task 3 of Slurm's job 12"; absent where nobody.
/// Asking takes no lock.
std::optional<std::string> holder_of(const std::string& folder);

/// Errors: InputError where logdepth-train does not stand beside this program.
void expect_training_program();

/// What the program said, and how it ended.
struct ProgramOutput {
  std::string text;
  int status = 0;
};
/// Starts logdepth-train and reads all of its standard output. Lines that say how far it is, "DONE TOTAL", are
/// given to `progress` instead, where there is one. Errors: as above.
ProgramOutput output_of_training_program(
    std::vector<std::string> arguments,
    const std::function<void(std::size_t done, std::size_t total)>& progress = nullptr);

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

}}  // namespace logdepth::learned_jobs
