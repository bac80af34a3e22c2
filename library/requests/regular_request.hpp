#pragma once

#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "library/requests/automaton_request.hpp"
#include "logdepth/constructions.hpp"

namespace logdepth {

/// Values of the settings, as the command line offers them.
inline const std::vector<std::string> kRegularConstructions = {"scan", "tree", "radix", "cascade",
                                                               "auto"};
inline const std::vector<std::string> kProductTables = {"auto", "matrix", "monoid"};
std::vector<std::string> position_encodings();

/// Settings that only one construction has, and their ranges. Errors: InputError.
void check_regular(const RegularSettings& settings, const CompileSettings& compiling);

/// The program of an automaton. Says how large the automaton is, which construction was chosen and
/// why, which table. Precondition: check_regular. Errors: SizeLimit.
Program requested_program(const LoadedAutomaton& loaded, const RegularSettings& settings,
                          const CompileSettings& compiling, const Say& say);

}  // namespace logdepth
