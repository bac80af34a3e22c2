#pragma once

#include <string>
#include <vector>

#include "base/json_tape.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline runtime_file {

/// The members of a weights file for `model`, `sha256` excepted, not yet sorted.
/// Precondition: find_violation(model) is empty.
JsonTape model_to_json(const Model& model);

/// The model that the members spell. Keys, types, spellings and sizes are checked here; the rules
/// between them are find_violation's. Errors: InputError(source, line, "key: ...").
Model model_from_json(const JsonTape& tape, const std::string& source);
/// Its member `derived`; facts about the numbers are those only that fit the layers.
Derived derived_from_json(const JsonTape& tape, JsonTape::Node node, const std::string& source,
                          const std::vector<Layer>& layers);

}  // namespace logdepth::inline runtime_file
