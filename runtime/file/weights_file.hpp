#pragma once

#include <string>
#include <string_view>

#include "base/json_tape.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth { inline namespace runtime_file {

/// Canonical JSON of the model (UTF-8, keys sorted, one sparse triplet per line, newline at the
/// end), with `sha256` of the canonical rest. The same model gives the same bytes.
std::string write_weights(const CheckedModel& model);

/// The hash that `write_weights` puts in the file: lower-case hex SHA-256 of the canonical text
/// without `derived` and `sha256`.
std::string weights_hash(const CheckedModel& model);

/// Reads and validates JSON text from anywhere. `source` names the file in messages.
/// Errors: InputError naming key and line for whatever is not exactly the documented format.
[[nodiscard]] CheckedModel parse_weights(std::string_view text, const std::string& source);

/// Reads `path` (.json, or gzip whatever the name). Errors: InputError.
[[nodiscard]] CheckedModel read_weights(const std::string& path);
/// Writes to a temporary name in the same folder, then renames; gzip when the name ends in .gz
/// (fixed header, so the bytes repeat). Errors: InputError when the folder cannot be written.
void save_weights(const CheckedModel& model, const std::string& path);

/// The members of a weights file for `model`, `sha256` excepted, not yet sorted.
/// Precondition: find_violation(model) is empty.
JsonTape model_to_json(const Model& model);

/// The model that the members spell. Keys, types, spellings and sizes are checked here; the rules
/// between them are find_violation's. Errors: InputError(source, line, "key: ...").
Model model_from_json(const JsonTape& tape, const std::string& source);

}}  // namespace logdepth::runtime_file
