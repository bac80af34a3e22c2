#pragma once

#include <string>

#include "compiler/program/program.hpp"

namespace logdepth::inline cli {

/// The program of a .cells file. Errors: InputError.
Program read_program(const std::string& file);

}  // namespace logdepth::inline cli
