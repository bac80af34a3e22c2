#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "cli/answers.hpp"
#include "cli/command_line_error.hpp"
#include "cli/command_reference.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "cli/help_formatter.hpp"
#include "cli/validators.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/export.hpp"

namespace logdepth::inline cli {
namespace {

/// A closed standard stream would lend its number to the next file opened, and answers or messages
/// would go into that file.
void open_closed_standard_streams() {
  // Where nobody listens writing must fail, as it would without this.
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
}

/// One line, whatever was quoted in it.
int fail(const std::string& sentence, int status) {
  drop_unfinished_answer();
  std::cerr << "logdepth: " << printable(sentence, kMostPrinted) << '\n';
  return status;
}

using Commands = std::vector<std::pair<CLI::App*, Command>>;

Commands add_commands(CLI::App& app) {
  Commands commands;
  const auto add = [&](CLI::App& parent, Command (*add_command)(CLI::App&)) {
    Command command = add_command(parent);
    commands.emplace_back(parent.get_subcommands([](CLI::App*) { return true; }).back(),
                          std::move(command));
  };
  const auto add_all = [&](CLI::App& parent, std::vector<Command> (*add_several)(CLI::App&)) {
    std::vector<Command> added = add_several(parent);
    const auto all = parent.get_subcommands([](CLI::App*) { return true; });
    for (std::size_t i = 0; i < added.size(); ++i)
      commands.emplace_back(all[all.size() - added.size() + i], std::move(added[i]));
  };
  CLI::App* compile =
      app.add_subcommand("compile", "compile a construction or a program to a weights file");
  compile->require_subcommand(1);
  add(*compile, add_compile_regular);
  add(*compile, add_compile_program);
  add(*compile, add_compile_crasp);
  add(*compile, add_compile_division);
  add(*compile, add_compile_connectivity);
  add(*compile, add_compile_computation_graph);
  add(app, add_run);
  add(app, add_test);
  add(app, add_check);
  add(app, add_certify);
  add(app, add_merge);
  add(app, add_diff);
  add(app, add_info);
  add(app, add_inspect);
  add(app, add_draw);
  add(app, add_export);
  add(app, add_zoo);
  add(app, add_play);
  add(app, add_convert);
  CLI::App* report = app.add_subcommand("report", "print measurements as tables and figures");
  report->require_subcommand(1);
  add(*report, add_report_precision);
  add_all(*report, add_paper_reports);
  CLI::App* train =
      app.add_subcommand("train", "train transformers on the problems of the theorems");
  train->require_subcommand(1);
  add_all(*train, add_experiments);
  add(*train, add_train_plan);
  CLI::App* data = app.add_subcommand("data", "write or check training data");
  data->require_subcommand(1);
  add(*data, add_data_words);
  add(*data, add_data_lines);
  add(*data, add_data_rules);
  add(*data, add_data_check);
  CLI::App* compare =
      app.add_subcommand("compare", "compare trained networks with constructed networks");
  compare->require_subcommand(1);
  add(*compare, add_compare_depth);
  add(app, add_measure);
  CLI::App* lm = app.add_subcommand("lm", "inspect and measure pretrained language models");
  lm->require_subcommand(1);
  add(*lm, add_lm_load);
  add(*lm, add_lm_save);
  add(*lm, add_lm_angular);
  add(*lm, add_lm_loops);
  return commands;
}

int run(int argc, char** argv) {
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
}  // namespace logdepth::inline cli

int main(int argc, char** argv) {
  using namespace logdepth;
  open_closed_standard_streams();
  prepare_early_ends();
  print_whole_answers();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is one that cannot be written
  try {
    const int status = run(argc, argv);
    write_out_answers();
    end_time_limit();
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
