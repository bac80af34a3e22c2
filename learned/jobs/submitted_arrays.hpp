#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace logdepth::inline learned_jobs {

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

/// The folders of all, by their numbers.
std::map<std::size_t, std::string> array_folders(const std::string& out);

}  // namespace logdepth::inline learned_jobs
