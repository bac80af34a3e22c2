#pragma once

#include <CLI/CLI.hpp>
#include <utility>
#include <vector>

#include "cli/commands.hpp"

namespace logdepth::inline cli {

/// The commands of a program: the parser of each, and what runs it.
using Commands = std::vector<std::pair<CLI::App*, Command>>;

/// Adds a subcommand of `parent`, or several.
void add(Commands& commands, CLI::App& parent, Command (*add_command)(CLI::App&));
void add_all(Commands& commands, CLI::App& parent, std::vector<Command> (*add_several)(CLI::App&));

/// `compile` with what compiles to weights files.
void add_compile(Commands& commands, CLI::App& app);

/// Runs the command that the arguments name, of those that `add_commands` knows, and writes its answer.
/// An error is one line on standard error. The exit status.
int answer_command(int argc, const char* const* argv, Commands (*add_commands)(CLI::App&));

}  // namespace logdepth::inline cli
