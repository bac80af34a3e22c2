#pragma once

#include <string>

#include "runtime/file/model.hpp"
#include "runtime/file/weights_json.hpp"

namespace logdepth {

/// The members of a weights file for `model`, `sha256` excepted, not yet sorted.
/// Precondition: first_violation(model) is empty.
JsonTape model_to_json(const Model& model);

/// The model that the members spell. Keys, types, spellings and sizes are checked here; the rules
/// between them are find_violation's. Errors: InputError(source, line, "key: ...").
Model model_from_json(const JsonTape& tape, const std::string& source);

/// For messages about a value of the tape: its line and its path.
[[noreturn]] void refuse(const JsonTape& tape, JsonTape::Node node, const std::string& source,
                         const std::string& sentence);

/// The file's own hash, as the text of its `sha256` member. Precondition: model_from_json
/// succeeded.
JsonTape::Node hash_node(const JsonTape& tape);

}  // namespace logdepth
