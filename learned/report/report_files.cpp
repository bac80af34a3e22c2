#include "learned/report/report_files.hpp"

#include <filesystem>
#include <system_error>

#include "objects/input_error.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {

void write_report_files(const ReportTexts& texts, const std::string& folder,
                        const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error && !std::filesystem::is_directory(folder))
    throw InputError(folder + ": expected a folder that can be made: " + error.message());
  const std::string stem = folder + "/" + name;
  write_whole_file(stem + ".md", texts.markdown);
  write_whole_file(stem + ".json", texts.json);
  write_whole_file(stem + ".svg", texts.svg);
}

}  // namespace logdepth
