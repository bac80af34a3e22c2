#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/exit_status.hpp"

namespace logdepth { inline namespace cli {

/// Each function adds one subcommand with its options and returns what runs it.
using Command = std::function<int()>;

Command add_run(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_info(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_test(CLI::App& app);
Command add_check(CLI::App& app);
Command add_certify(CLI::App& app);
Command add_convert(CLI::App& app);
Command add_draw(CLI::App& app);
Command add_export(CLI::App& app);
Command add_zoo(CLI::App& app);
Command add_play(CLI::App& app);
Command add_train_plan(CLI::App& train);
Command add_data_words(CLI::App& data);
Command add_data_check(CLI::App& data);
Command add_compare(CLI::App& app);
Command add_measure(CLI::App& app);

/// The commands of a program: the parser of each, and what runs it.
using Commands = std::vector<std::pair<CLI::App*, Command>>;

/// Adds a subcommand of `parent`.
void add(Commands& commands, CLI::App& parent,
         const std::function<Command(CLI::App&)>& add_command);
/// A subcommand for every experiment of the papers of `learned`.
void add_experiments(Commands& commands, CLI::App& train);

/// `compile` with what compiles to weights files.
void add_compile(Commands& commands, CLI::App& app);

/// Runs the command that the arguments name, of those that `add_commands` knows, and writes its answer.
/// An error is one line on standard error. The exit status.
int answer_command(int argc, const char* const* argv, Commands (*add_commands)(CLI::App&));

/// Commands below a command, in the order of their definition.
std::vector<const CLI::App*> commands_below(const CLI::App& app);
/// Its options, then those of its groups of options, which are commands without a name.
std::vector<const CLI::Option*> options_of(const CLI::App& app);

/// The manual page logdepth(1), made of the definitions of the commands.
std::string manual_page(const CLI::App& app);
/// What bash is to complete: commands, options, the choices of an option, else names of files.
std::string completion_script(const CLI::App& app);

}}  // namespace logdepth::cli
