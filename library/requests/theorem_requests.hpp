#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compiler/program/program.hpp"
#include "logdepth/constructions.hpp"

namespace logdepth {

/// Values of the settings, as the command line offers them.
inline const std::vector<std::string> kConnectivityConstructions = {"compact", "paper", "rows",
                                                                    "radix", "bounded"};
inline const std::vector<std::string> kConnectivityPaddings = {"n3", "n3-n2"};
inline const std::vector<std::string> kDivisionConstructions = {"compact", "paper", "floor"};
inline const std::vector<std::string> kComputationGraphConstructions = {"compact", "pairwise"};

/// The programs that are asked for. Errors: InputError for settings that are none or do not go
/// together; SizeLimit.
Program requested_program(const ConnectivitySettings& settings);
Program requested_program(const DivisionSettings& settings);
Program requested_program(const ComputationGraphSettings& settings,
                          const CompileSettings& compiling);

/// The program of a C-RASP program.
struct RequestedCrasp {
  Program program;
  std::size_t lines = 0;  ///< of the C-RASP program
  std::size_t nesting = 0, comparisons = 0, table_layers = 0;
};
/// Says how large it is. Errors: InputError with the line of the program.
RequestedCrasp requested_program(const SourceFile& crasp, const Say& say);

}  // namespace logdepth
