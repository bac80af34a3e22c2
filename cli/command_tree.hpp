#pragma once

#include <CLI/CLI.hpp>
#include <vector>

namespace logdepth::inline cli {

/// Commands below a command, in the order of their definition.
inline std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!below->get_name().empty()) commands.push_back(below);
  return commands;
}

/// Its options, then those of its groups of options, which are commands without a name.
inline std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    if (below->get_name().empty())
      for (const CLI::Option* option : options_of(*below)) options.push_back(option);
  return options;
}

}  // namespace logdepth::inline cli
