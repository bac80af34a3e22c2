#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "learned/records/depth_reading.hpp"
#include "learned/records/learning_curve.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_records {

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

/// The fields of `json`, a part of the record; refusals name the record's file and `part`. Both must
/// outlive the result.
RecordFields fields_of(const RunRecord& record, const nlohmann::ordered_json& json,
                       const std::string& part);

/// The learning curve of a run; without points where none was recorded. Errors: InputError naming
/// the run's folder.
LearningCurve learning_curve(const RunRecord& record);

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
/// The record of a run's folder; of a run that has none, its configuration alone. Errors: as above.
RunRecord read_run(const std::string& folder);
void write_run_record(const RunRecord& record, const std::string& file);
/// The regular files below a folder whose names are asked for, in the order of their paths. Errors:
/// InputError where there is no such folder, or one of those below cannot be read.
std::vector<std::string> files_below(const std::string& folder,
                                     const std::function<bool(const std::string& name)>& asked_for);
/// All records below a folder, in the order of their paths. Errors: as above, and where there is no
/// such folder. With `unreadable` a file that is no record is left out, and its message added there.
std::vector<RunRecord> read_run_records(const std::string& folder,
                                        std::vector<std::string>* unreadable = nullptr);

}  // namespace logdepth::inline learned_records
