#pragma once

#include <string>
#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::support {

struct NamedProgram {
  std::string name;
  Program program;
};
/// Small programs of the constructions and building blocks of MS25, in their forms, and formulas.
std::vector<NamedProgram> constructed_programs();

}  // namespace logdepth::support
