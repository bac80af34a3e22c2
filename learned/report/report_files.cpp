#include "learned/report/report_files.hpp"

#include <filesystem>

#include "logdepth/errors.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_report {

std::vector<std::string> write_report_files(const std::vector<report::File>& files,
                                            const std::string& folder) {
  const OutputFolder made(folder);
  std::vector<std::string> names;
  for (const report::File& file : files) {
    const std::string path = folder + "/" + file.name;
    if (std::filesystem::is_directory(path))
      throw InputError(path + ": is a directory; expected a file name for the report");
    names.push_back(file.name);
  }
  for (const report::File& file : files) write_whole_file(folder + "/" + file.name, file.text);
  return names;
}

}  // namespace logdepth::inline learned_report
