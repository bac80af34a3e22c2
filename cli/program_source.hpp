#pragma once

#include <string>

#include "compiler/program/program.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::inline cli {

/// The program of a .cells file. Errors: InputError.
Program read_program(const std::string& file);

/// The program that a weights file carries, to be compared with: whether it is that of these weights
/// is the question, so it needs no trust. Errors: InputError where there is none.
Program carried_by(const Model& model);

}  // namespace logdepth::inline cli
