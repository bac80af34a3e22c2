#pragma once

#include "compiler/program/program.hpp"
#include "logdepth/compile.hpp"
#include "runtime/file/model_rules.hpp"

namespace logdepth::inline library_requests {

/// The weights of a program under these settings, with what is derived from them. Errors: InputError
/// for a name of more than a line; ProgramRefused.
[[nodiscard]] CheckedModel requested_model(Program program, const CompileSettings& settings);

}  // namespace logdepth::inline library_requests
