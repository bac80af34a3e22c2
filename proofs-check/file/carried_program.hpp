#pragma once

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// The program that a compiled weights file carries in `derived`. Errors: InputError when there is
/// none.
Program program_of(const Model& model);

}  // namespace logdepth
