#include "cli/answer_command.hpp"

#include <iostream>
#include <memory>
#include <new>
#include <string>

#include "base/quoted_text.hpp"
#include "cli/answers.hpp"
#include "cli/command_line_error.hpp"
#include "cli/command_reference.hpp"
#include "cli/help_formatter.hpp"
#include "cli/validators.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/export.hpp"

namespace logdepth::inline cli {
namespace {

/// One line, whatever was quoted in it.
int fail(const std::string& sentence, int status) {
  drop_unfinished_answer();
  std::cerr << "logdepth: " << printable(sentence, kMostPrinted) << '\n';
  return status;
}

int run(int argc, const char* const* argv, Commands (*add_commands)(CLI::App&)) {
  CLI::App app{
      "compile transformer constructions to exact weights, run them without rounding error, and "
      "test "
      "them\n"
      "Example: logdepth compile regular --regex '(a|b)*abb' -o abb.json && "
      "logdepth run abb.json --input aabb",
      "logdepth"};
  // Commands take both from here.
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", std::string("logdepth ") + LOGDEPTH_VERSION,
                       "print the version");
  // Answered as --version is: what was asked for is all that is printed.
  app.add_flag_callback(
         "--man", [&app] { throw CLI::CallForVersion(manual_page(app), 0); },
         "print the manual page (pipe it to man -l -)")
      ->trigger_on_parse();
  app.add_option_function<std::string>(
         "--completion",
         [&app](const std::string& shell) {
           throw CLI::CallForVersion(completion_script(app, shell), 0);
         },
         "print the completion script for this shell")
      ->check(choice_of({"bash", "zsh", "fish"}))
      ->trigger_on_parse();
  app.require_subcommand(1);

  const Commands commands = add_commands(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(sentence_of(app, error), kBadInput);
  }
  for (const auto& [subcommand, command] : commands)
    if (subcommand->parsed()) return command();
  return fail("no subcommand", kBadInput);
}

}  // namespace

void add(Commands& commands, CLI::App& parent, Command (*add_command)(CLI::App&)) {
  Command command = add_command(parent);
  commands.emplace_back(parent.get_subcommands([](CLI::App*) { return true; }).back(),
                        std::move(command));
}

void add_all(Commands& commands, CLI::App& parent, std::vector<Command> (*add_several)(CLI::App&)) {
  std::vector<Command> added = add_several(parent);
  const auto all = parent.get_subcommands([](CLI::App*) { return true; });
  for (std::size_t i = 0; i < added.size(); ++i)
    commands.emplace_back(all[all.size() - added.size() + i], std::move(added[i]));
}

void add_compile(Commands& commands, CLI::App& app) {
  CLI::App* compile =
      app.add_subcommand("compile", "compile a construction or a program to a weights file");
  compile->require_subcommand(1);
  add(commands, *compile, add_compile_regular);
  add(commands, *compile, add_compile_program);
  add(commands, *compile, add_compile_crasp);
  add(commands, *compile, add_compile_division);
  add(commands, *compile, add_compile_connectivity);
  add(commands, *compile, add_compile_computation_graph);
}

int answer_command(int argc, const char* const* argv, Commands (*add_commands)(CLI::App&)) {
  try {
    const int status = run(argc, argv, add_commands);
    write_out_answers();
    return status;
  } catch (const InputError& error) {
    return fail(error.what(), kBadInput);
  } catch (const ProgramRefused& error) {
    return fail(std::string("the program is rejected: ") + error.what(), kBadInput);
  } catch (const BrokenProgram& error) {
    return fail(std::string("the program violates its own declarations: ") + error.what(),
                kCheckFailed);
  } catch (const ExportWrong& error) {
    return fail(error.what(), kCheckFailed);
  } catch (const ExportRefused& error) {
    return fail(error.what(), kNotDecided);
  } catch (const SizeLimit& error) {
    return fail(error.what(), kNotDecided);
  } catch (const std::bad_alloc&) {
    return fail("out of memory", kNotDecided);
  } catch (const std::exception& error) {
    return fail(std::string("internal error, please report it: ") + error.what(), 70);
  }
}

}  // namespace logdepth::inline cli
