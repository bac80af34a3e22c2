#include "cli/command_line_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/spelling.hpp"
#include "cli/command_tree.hpp"

namespace logdepth::inline cli {

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  std::string path = "logdepth";  // as far as commands were known
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  const std::string help = " (see " + path + " --help)";
  std::vector<std::string> commands, options;
  for (const CLI::App* command : commands_below(*at)) commands.push_back(command->get_name());
  for (const CLI::Option* known : options_of(*at))
    for (const std::string& name : known->get_lnames()) options.push_back("--" + name);
  const std::vector<std::string> left = app.remaining(true);
  // An unknown command leaves the one before it without any, which the parser complains of first.
  const bool unknown =
      dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !commands.empty());
  if (!unknown) return error.what() + help;
  if (left.empty()) return "expected a command of " + path + ": " + joined(commands) + help;
  const auto option = std::ranges::find_if(
      left, [](const std::string& word) { return word.size() > 1 && word.starts_with('-'); });
  if (!commands.empty() && option != left.begin()) {
    const auto name = meant(left.front(), commands);
    return "unknown command " + in_quotes(left.front()) + " of " + path + "; " +
           (name ? "did you mean " + *name + "?" : "expected one of " + joined(commands)) + help;
  }
  if (option == left.end()) return error.what() + help;
  const std::string written = option->substr(0, option->find('='));
  const auto name = meant(written, options);
  if (name == written) return "expected " + written + " after " + path + ", found it before" + help;
  return "unknown option " + in_quotes(*option) + " of " + path +
         (name ? "; did you mean " + *name + "?" : "") + help;
}

}  // namespace logdepth::inline cli
