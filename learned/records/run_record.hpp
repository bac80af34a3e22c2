#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/reading.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_records {

/// One training run as reports read it: `record.json` of the run's folder, beside the weights
/// (`model.safetensors`) and the state that a resumed run goes on from (`checkpoint.safetensors`).
struct RunRecord {
  RunConfig config;
  nlohmann::ordered_json inputs;    ///< SHA-256 of the files that the run read, by name; or empty
  nlohmann::ordered_json machine;   ///< device, processor, libtorch, threads, kernels
  nlohmann::ordered_json training;  ///< steps, seconds, why it stopped, promotions, last loss
  nlohmann::ordered_json result;    ///< of Task::measure
  std::string folder;               ///< where it was read; not in the file
};

/// What reports read of the result: the readings of its task, with the layers that were executed. Errors: those of
/// RecordFields.
RunReadings readings_of(const RunRecord& record);

/// Why a run ended before its steps were done, as in "ended by its seconds after 59 steps" or
/// "diverged after 4 steps"; empty where it made them all.
std::string early_end(const RunRecord& record);

/// The names of files in a run's folder.
inline constexpr const char* kRunConfigFile = "config.json";
inline constexpr const char* kCheckpointFile = "checkpoint.safetensors";  ///< the latest
inline constexpr const char* kRecordFile = "record.json";
inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kLossesFile = "losses.csv";

nlohmann::ordered_json to_json(const RunRecord& record);
/// Errors: InputError naming the file and what was expected.
RunRecord read_run_record(const std::string& file);
/// The configuration that a run begins with, kRunConfigFile of its folder or another file. Errors: as above.
RunConfig read_run_config(const std::string& file);
/// The record of a run's folder; of a run that has none, its configuration alone. Errors: as above.
RunRecord read_run(const std::string& folder);
void write_run_record(const RunRecord& record, const std::string& file);
/// A record as it is stored.
struct StoredRecord {
  nlohmann::ordered_json json;
  std::string place;   ///< for messages: its file, and the line in a file of several
  std::string folder;  ///< of the run; in a file of several by the name that is its member "run"
};
/// A measurement without training, in the form of a record.
inline constexpr const char* kMeasurementFile = "angular.measurement.json";
/// The end of the names of files of several records, a JSON object a line, packed by gzip.
inline constexpr const char* kRecordsFile = ".jsonl.gz";

/// All records at a place: a file of one or of several, or those of either kind below a folder, in the order of their
/// paths. Errors: InputError where there is no such place, or a folder below cannot be read. What is no record is left out, its message is added to
/// `unreadable`.
std::vector<StoredRecord> stored_records(const std::string& place,
                                         std::vector<std::string>& unreadable);
/// The same as a record of a task that this program knows. Errors: InputError naming its place.
RunRecord record_of(StoredRecord stored);

}}  // namespace logdepth::learned_records
