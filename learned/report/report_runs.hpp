#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/run_record.hpp"
#include "report/report.hpp"

namespace logdepth::inline learned_report {

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
  std::vector<std::string> unreadable = {};  ///< messages of records that were left out
};

/// The end of the names of files of measurements.
inline constexpr const char* kMeasurementFile = ".measurement.json";

/// All records and measurements below a folder, each in the order of their paths; records that cannot be
/// read are left out. Errors: those of files_below, and InputError naming the file that is not a
/// measurement.
ReportRuns read_report_runs(const std::string& folder);

/// A report that asks for no measurements, as one of a PaperReport.
template <auto make>
report::Report of_records(const ReportRuns& runs) {
  return make(runs.records);
}

}  // namespace logdepth::inline learned_report
