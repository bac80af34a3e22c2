#include "report/report.hpp"

namespace logdepth::report {

std::string json(const Report& report) {
  // Names of folders need not be UTF-8.
  return report.data.dump(1, ' ', false, Data::error_handler_t::replace) + "\n";
}

std::vector<File> files_of(const Report& report) {
  std::vector<File> files = {{report.name + ".md", markdown(report)},
                             {report.name + ".json", json(report)}};
  files.insert(files.end(), report.pictures.begin(), report.pictures.end());
  return files;
}

}  // namespace logdepth::report
