#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "cli/commands.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// The program and all commands below it, by their paths: "", "compile", "compile regular", ...
using CommandPaths = std::vector<std::pair<std::string, const CLI::App*>>;

void add_commands(const CLI::App& app, const std::string& path, CommandPaths& all) {
  all.emplace_back(path, &app);
  for (const CLI::App* below : commands_below(app))
    add_commands(*below, path + (path.empty() ? "" : " ") + below->get_name(), all);
}

CommandPaths commands_of(const CLI::App& app) {
  CommandPaths all;
  add_commands(app, "", all);
  return all;
}

/// With dashes; an argument has none.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0 && option.get_items_expected_max() > 0;
}

/// The words of "{scan,tree}", as CLI11 describes a choice.
std::vector<std::string> choices_of(const CLI::Option& option) {
  std::vector<std::string> choices;
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (!takes_value(option) || open == std::string::npos || close == std::string::npos)
    return choices;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

// --- the manual page -----------------------------------------------------------------------------

/// A text as roff reads it: no line begins with a request, nothing is an escape.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else if (c == '.' && (result.empty() || result.back() == '\n')) {
      result += "\\&.";
    } else {
      result += c;
    }
  }
  return result;
}

std::string roff_option(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : names_of(option))
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (names.empty()) {
    names = "\\fB" + roff(option.get_name()) + "\\fR";
  } else if (takes_value(option)) {
    const std::vector<std::string> choices = choices_of(option);
    names += " \\fI" + roff(choices.empty() ? "VALUE" : joined(choices, "|")) + "\\fR";
  }
  return ".TP\n" + names + "\n" + roff(option.get_description()) + "\n";
}

/// The last line of its help, an example, apart.
std::string roff_description(const CLI::App& app) {
  std::string description = app.get_description(), example;
  if (const std::size_t at = description.find("\nExample: "); at != std::string::npos) {
    example = ".PP\nExample: " + roff(description.substr(at + sizeof "\nExample:")) + "\n";
    description.resize(at);
  }
  std::ranges::replace(description, '\n', ' ');
  return roff(description) + "\n" + example;
}

// --- completion ----------------------------------------------------------------------------------

/// Cases of a shell's `case`: of every command what may follow it, and of every option with choices
/// these.
std::string shell_cases(const CommandPaths& all) {
  std::string cases = "  case \"$reached\" in\n", choices;
  for (const auto& [path, command] : all) {
    std::vector<std::string> below, names;
    for (const CLI::App* one : commands_below(*command)) below.push_back(one->get_name());
    for (const CLI::Option* option : options_of(*command)) {
      const std::vector<std::string> words = choices_of(*option);
      for (const std::string& name : names_of(*option)) {
        names.push_back(name);
        if (!words.empty())
          choices += fmt::format("    {}) choices={} ;;\n", shell_word(path + " " + name),
                                 shell_word(joined(words, " ")));
      }
    }
    cases += fmt::format("    {}) commands={}; options={} ;;\n", shell_word(path),
                         shell_word(joined(below, " ")), shell_word(joined(names, " ")));
  }
  return cases + "  esac\n  case \"$reached $before\" in\n" + choices + "  esac\n";
}

/// Which command the words have reached: those that are commands below it, one after the other.
std::string shell_path(const CommandPaths& all) {
  std::string paths;
  for (const auto& [path, command] : all)
    if (!path.empty()) paths += (paths.empty() ? "" : "|") + shell_word(path);
  return "    case \"${reached:+$reached }$word\" in\n      " + paths +
         ") reached=\"${reached:+$reached }$word\" ;;\n    esac\n";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string page = fmt::format(
      ".TH LOGDEPTH 1 \"\" \"logdepth {}\" \"User Commands\"\n"
      ".SH NAME\nlogdepth \\- transformer constructions as exact weights\n"
      ".SH SYNOPSIS\n\\fBlogdepth\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
      ".SH DESCRIPTION\n{}.SH OPTIONS\n",
      LOGDEPTH_VERSION, roff_description(app));
  for (const CLI::Option* option : options_of(app)) page += roff_option(*option);
  page += ".SH COMMANDS\n";
  for (const auto& [path, command] : commands_of(app)) {
    if (path.empty()) continue;
    page += ".SS logdepth " + roff(path) + "\n" + roff_description(*command);
    for (const CLI::Option* option : options_of(*command))
      if (!option->check_lname("help")) page += roff_option(*option);
  }
  return page +
         ".SH EXIT STATUS\n"
         ".TP\n0\nDone, passed, decided.\n"
         ".TP\n1\nA check failed: a counterexample, a violated selection contract, a difference.\n"
         ".TP\n2\nInvalid input; one-line message.\n"
         ".TP\n3\nUndecided, hypothesis violated, not certified, or resource limit exceeded.\n";
}

std::string completion_script(const CLI::App& app) {
  const CommandPaths all = commands_of(app);
  return "# completion for bash, and for zsh after bashcompinit, written by logdepth --completion "
         "bash\n"
         "_logdepth() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local reached='' commands='' options='' choices='' word\n"
         "  for word in \"${COMP_WORDS[@]:1:$((COMP_CWORD-1))}\"; do\n" +
         shell_path(all) + "  done\n" + shell_cases(all) +
         "  local words=\"$commands\"\n"
         "  if [[ \"$current\" == -* ]]; then words=\"$options\"; fi\n"
         "  if [[ -n \"$choices\" ]]; then words=\"$choices\"; fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o default -F _logdepth logdepth\n";
}

}}  // namespace logdepth::cli
