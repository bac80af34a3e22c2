#pragma once

#include <string>

namespace logdepth {

/// A report as its three files hold it.
struct ReportTexts {
  std::string markdown, json, svg;
};
/// Writes NAME.md, NAME.json and NAME.svg to the folder, which is made if need be. Errors:
/// InputError when it cannot be written.
void write_report_files(const ReportTexts& texts, const std::string& folder,
                        const std::string& name);

}  // namespace logdepth
