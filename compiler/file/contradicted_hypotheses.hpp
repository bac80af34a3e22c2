#pragma once

#include <optional>
#include <string>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// What the weights say against a hypothesis that the file states: "layer 1 of the file, head 0 looks
/// at all tokens". Absent where they say nothing against it, which proves nothing. Decided are
/// the clauses of runtime/file/hypotheses.hpp.
std::optional<std::string> contradiction(const Model& model, const std::string& hypothesis);

}  // namespace logdepth::inline compiler_file
