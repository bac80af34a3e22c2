#include "learned/report/report_runs.hpp"

#include <cstddef>

#include "logdepth/errors.hpp"
#include "runtime/file/json_file.hpp"

namespace logdepth::inline learned_report {
namespace {

/// A number for each layer or shape of a model; a file of more bytes is something else.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

Measurement read_measurement(const std::string& file) {
  auto json = nlohmann::ordered_json::parse(read_json_file(file, kMostBytes), nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("measurement") ||
      !json["measurement"].is_string())
    throw InputError(file +
                     ": expected a measurement, a JSON object whose \"measurement\" is a word");
  return {file, std::move(json)};
}

}  // namespace

ReportRuns read_report_runs(const std::string& folder) {
  ReportRuns runs;
  runs.records = read_run_records(folder, &runs.unreadable);
  for (const std::string& file : files_below(
           folder, [](const std::string& name) { return name.ends_with(kMeasurementFile); }))
    runs.measurements.push_back(read_measurement(file));
  if (runs.records.empty() && runs.measurements.empty() && !runs.unreadable.empty())
    throw InputError(runs.unreadable.front());
  return runs;
}

}  // namespace logdepth::inline learned_report
