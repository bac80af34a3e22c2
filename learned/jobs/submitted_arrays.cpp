#include "learned/jobs/submitted_arrays.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "learned/records/training_plan.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

namespace fs = std::filesystem;

std::optional<std::size_t> array_number(const fs::path& folder) {
  const std::string name = folder.filename();
  std::size_t number = 0;
  const auto [next, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && next == name.data() + name.size() ? std::optional(number)
                                                                   : std::nullopt;
}

}  // namespace

std::map<std::size_t, std::string> array_folders(const std::string& out) {
  std::map<std::size_t, std::string> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out + "/" + kSlurmFolder, ignored))
    if (const auto number = array_number(entry.path())) folders[*number] = entry.path().string();
  return folders;
}

std::vector<SlurmArray> submitted_arrays(const std::string& out) {
  std::vector<SlurmArray> arrays;
  for (const auto& [number, folder] : array_folders(out)) {
    if (!fs::exists(folder + "/job")) continue;  // sbatch has not answered
    SlurmArray array{folder, read_whole_file(folder + "/job"), {}};
    array.job = array.job.substr(0, array.job.find('\n'));
    for (const PlannedRun& run : read_training_plan(folder + "/plan.json"))
      array.runs.push_back(run.name);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace logdepth::inline learned_jobs
