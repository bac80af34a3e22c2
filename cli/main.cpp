#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "cli/commands.hpp"
#include "cli/early_end.hpp"

namespace logdepth { inline namespace cli { namespace {

/// A closed standard stream would lend its number to the next file opened, and answers or messages
/// would go into that file.
void open_closed_standard_streams() {
  // Where nobody listens writing must fail, as it would without this, and so must reading.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

Commands add_commands(CLI::App& app) {
  Commands commands;
  add_compile(commands, app);
  add(commands, app, add_run);
  add(commands, app, add_test);
  add(commands, app, add_check);
  add(commands, app, add_certify);
  add(commands, app, add_diff);
  add(commands, app, add_info);
  add(commands, app, add_inspect);
  add(commands, app, add_draw);
  add(commands, app, add_export);
  add(commands, app, add_zoo);
  add(commands, app, add_play);
  add(commands, app, add_convert);
  CLI::App* train =
      app.add_subcommand("train", "train transformers on the problems of the theorems");
  train->require_subcommand(1);
  add_experiments(commands, *train);
  add(commands, *train, add_train_plan);
  CLI::App* data = app.add_subcommand("data", "write or check training data");
  data->require_subcommand(1);
  add(commands, *data, add_data_words);
  add(commands, *data, add_data_check);
  add(commands, app, add_compare);
  add(commands, app, add_measure);
  return commands;
}

}}}  // namespace logdepth::cli

int main(int argc, char** argv) {
  using namespace logdepth;
  open_closed_standard_streams();
  prepare_early_ends();
  print_whole_answers();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is one that cannot be written
  const int status = answer_command(argc, argv, add_commands);
  end_time_limit();
  return status;
}
