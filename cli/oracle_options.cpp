#include "cli/oracle_options.hpp"

#include "base/shell_word.hpp"

namespace logdepth::inline cli {

void OracleOptions::add_to(CLI::App& app, const std::string& description) {
  against_option = app.add_option("--against", against, description);
  automaton.add_to(app);
}

std::string OracleOptions::as_typed() const {
  std::vector<const CLI::Option*> all = {against_option};
  all.insert(all.end(), automaton.options.begin(), automaton.options.end());
  std::string text;
  for (const CLI::Option* option : all)
    for (const std::string& value : option->results())
      text += (text.empty() ? "" : " ") + option->get_name() + " " + shell_word(value);
  return text;
}

}  // namespace logdepth::inline cli
