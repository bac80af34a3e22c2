#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace logdepth::inline learned_report {

/// Writes the files to the folder, which is made if need be. Result: their names. Errors:
/// InputError when one cannot be written; before any is where a folder has its name.
std::vector<std::string> write_report_files(const std::vector<report::File>& files,
                                            const std::string& folder);

}  // namespace logdepth::inline learned_report
