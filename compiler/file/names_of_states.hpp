#pragma once

#include <string>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline compiler_file {

/// What the file says that the states are called whose images its prefix products are
/// (`parameters.states`, a list as JSON text, as `compile regular` writes it from the names in a
/// user's automaton, which begins in state 0); empty where it says nothing of that kind.
std::vector<std::string> names_of_states(const Model& model);

}  // namespace logdepth::inline compiler_file
