#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "logdepth/constructions.hpp"

namespace logdepth::inline cli {

/// The options that name an automaton: at most one of --regex, --group and those of files.
struct AutomatonOptions {
  AutomatonSource source;
  std::vector<const CLI::Option*> options;  ///< in the order in which they are typed again

  void add_to(CLI::App& app);
};

}  // namespace logdepth::inline cli
