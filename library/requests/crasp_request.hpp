#pragma once

#include <cstddef>
#include <optional>

#include "compiler/program/program.hpp"
#include "logdepth/constructions.hpp"

namespace logdepth::inline library_requests {

/// The program of a C-RASP program.
struct RequestedCrasp {
  Program program;
  std::size_t lines = 0;  ///< of the C-RASP program
  std::size_t nesting = 0, comparisons = 0, table_layers = 0;
  std::optional<std::size_t> position_layers = {};  ///< of a program that depends on positions
};
/// Says how large it is. Errors: InputError with the line of the program.
RequestedCrasp requested_program(const SourceFile& crasp, const Say& say);

}  // namespace logdepth::inline library_requests
