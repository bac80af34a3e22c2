#pragma once

#include <string>
#include <string_view>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_program {

/// The text form of a program (`.cells`), specified in compiler/README.md.
/// parse_program(print_program(p)) == p, and printing what was parsed is the canonical text.
std::string print_program(const Program& program);

inline constexpr const char* kPhi = "phi";  ///< the others are named as in weights files
/// "phi", "phi over 9", "circle", "two-circle" or "fine 3".
std::string code_name(PositionCode code);

/// Reads the text form. Names are resolved; whether the program obeys the rules is another
/// question (program_rules.hpp). Errors: InputError with source, line and what was expected.
[[nodiscard]] Program parse_program(std::string_view text, const std::string& source);

}  // namespace logdepth::inline compiler_program
