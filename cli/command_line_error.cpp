#include "cli/command_line_error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/command_tree.hpp"
#include "objects/phrases.hpp"

namespace logdepth {
namespace {

/// Letters to insert, leave out, replace or exchange with a neighbour to make one of the other.
std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> errors(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        errors[i][j] = i + j;
        continue;
      }
      errors[i][j] = std::min({errors[i - 1][j] + 1, errors[i][j - 1] + 1,
                               errors[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        errors[i][j] = std::min(errors[i][j], errors[i - 2][j - 2] + 1);
    }
  return errors[a.size()][b.size()];
}

/// The nearest of the names, if it is a third of the letters away at most.
std::optional<std::string> meant(const std::string& written,
                                 const std::vector<std::string>& names) {
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(written.size() / 3, 1);
  for (const std::string& name : names)
    if (const std::size_t errors = typing_errors(written, name); errors <= fewest) {
      if (nearest && errors == fewest) continue;
      nearest = name;
      fewest = errors;
    }
  return nearest;
}

}  // namespace

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
    return "unknown command '" + left.front() + "' of " + path + "; " +
           (name ? "did you mean " + *name + "?" : "expected one of " + joined(commands)) + help;
  }
  if (option == left.end()) return error.what() + help;
  const std::string written = option->substr(0, option->find('='));
  const auto name = meant(written, options);
  if (name == written)
    return "expected " + written + " behind " + path + ", found it before" + help;
  return "unknown option '" + *option + "' of " + path +
         (name ? "; did you mean " + *name + "?" : "") + help;
}

}  // namespace logdepth
