#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "learned/records/run_record.hpp"
#include "learned/report/report_files.hpp"

namespace logdepth {

/// Something that was measured on a model without training it, as `logdepth lm` leaves it in
/// NAME.measurement.json.
struct Measurement {
  std::string file;
  nlohmann::ordered_json json;  ///< an object whose "measurement" is a word
  /// What was measured: "angular-distance".
  std::string kind() const { return json.at("measurement").get<std::string>(); }
};

/// What a report is made from.
struct ReportRuns {
  std::vector<RunRecord> records = {};
  std::vector<Measurement> measurements = {};
};

/// The end of the names of files of measurements.
inline constexpr const char* kMeasurementFile = ".measurement.json";

/// All records and measurements below a folder, each in the order of their paths. Errors: those of
/// read_run_records, and InputError naming the file that is not a measurement.
ReportRuns read_report_runs(const std::string& folder);

/// A function of a report that asks for no measurements, as one of a PaperReport.
template <auto function, class... Rest>
auto of_records(const ReportRuns& runs, const Rest&... rest) {
  return function(runs.records, rest...);
}

/// A report as data and blocks, of the records alone where it asks for no measurements.
template <auto make>
report::Report page_of(const ReportRuns& runs) {
  if constexpr (std::is_invocable_v<decltype(make), const ReportRuns&>)
    return make(runs);
  else
    return make(runs.records);
}
template <auto make>
std::string page_markdown(const ReportRuns& runs) {
  return report::markdown(page_of<make>(runs));
}
template <auto make>
std::string page_json(const ReportRuns& runs) {
  return report::json(page_of<make>(runs));
}
template <auto make>
std::vector<std::string> save_page(const ReportRuns& runs, const std::string& folder) {
  return write_report_files(report::files_of(page_of<make>(runs)), folder);
}

}  // namespace logdepth
