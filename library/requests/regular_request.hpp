#pragma once

#include "compiler/program/program.hpp"
#include "library/requests/automaton_request.hpp"
#include "library/requests/construction_request.hpp"
#include "logdepth/constructions.hpp"

namespace logdepth::inline library_requests {

/// The program that a construction makes of an automaton. Says how large the automaton is, which
/// construction was chosen and why, which table. Errors: SizeLimit.
Program requested_program(const LoadedAutomaton& loaded, const Construction& construction,
                          const Values& values, const Say& say);

}  // namespace logdepth::inline library_requests
