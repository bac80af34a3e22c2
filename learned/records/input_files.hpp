#pragma once

#include <nlohmann/json.hpp>

#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_records {

/// SHA-256 of every file that the settings of a run name, by name; of a folder, a model's, the files
/// that a model is read from (config.json, tokenizer.json, model*.safetensors). Files that are not
/// there are left out. Empty: a run that reads none. Errors: InputError for a file that cannot be
/// read.
nlohmann::ordered_json input_hashes(const RunConfig& config);

}  // namespace logdepth::inline learned_records
