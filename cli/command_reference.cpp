#include "cli/command_reference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/phrases.hpp"
#include "base/shell_word.hpp"
#include "cli/command_tree.hpp"

namespace logdepth::inline cli {
namespace {

struct OptionText {
  std::vector<std::string> names;    ///< with dashes; of an argument its name alone
  std::string value;                 ///< what stands after it; empty for a flag
  std::vector<std::string> choices;  ///< where it takes one of a few words
  std::string description;
  bool argument = false;  ///< has no name on the command line
};

struct CommandText {
  std::string path;                  ///< "compile regular"; empty for the program itself
  std::string description, example;  ///< the last line of its help apart
  std::vector<OptionText> options;
  std::vector<std::string> commands;  ///< below it
};

/// The words of "{scan,tree}", as CLI11 describes a choice.
std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::istringstream words(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(words, word, ',');) choices.push_back(word);
  return choices;
}

void add_options(const CLI::App& app, CommandText& command) {
  for (const CLI::Option* option : options_of(app)) {
    OptionText text;
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    text.argument = text.names.empty();
    if (text.argument) text.names.push_back(option->get_name());
    if (option->get_expected_max() > 0 && option->get_items_expected_max() > 0) {
      text.choices = choices_of(option->get_type_name());
      text.value = text.choices.empty() ? "VALUE" : joined(text.choices, "|");
    }
    text.description = option->get_description();
    command.options.push_back(std::move(text));
  }
}

void add_commands(const CLI::App& app, const std::string& path, std::vector<CommandText>& all) {
  CommandText command;
  command.path = path;
  command.description = app.get_description();
  if (const std::size_t at = command.description.find("\nExample: "); at != std::string::npos) {
    command.example = command.description.substr(at + sizeof "\nExample:");
    command.description.resize(at);
  }
  std::ranges::replace(command.description, '\n', ' ');
  add_options(app, command);
  const std::size_t place = all.size();
  all.push_back(std::move(command));
  for (const CLI::App* below : commands_below(app)) {
    all[place].commands.push_back(below->get_name());
    add_commands(*below, path + (path.empty() ? "" : " ") + below->get_name(), all);
  }
}

std::vector<CommandText> commands_of(const CLI::App& app) {
  std::vector<CommandText> all;
  add_commands(app, "", all);
  return all;
}

std::vector<std::string> option_words(const CommandText& command) {
  std::vector<std::string> words;
  for (const OptionText& option : command.options)
    if (!option.argument) words.insert(words.end(), option.names.begin(), option.names.end());
  return words;
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

std::string roff_option(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (!option.argument && !option.value.empty()) names += " \\fI" + roff(option.value) + "\\fR";
  return ".TP\n" + names + "\n" + roff(option.description) + "\n";
}

// --- completion ----------------------------------------------------------------------------------

/// Cases of a shell's `case`: of every command what may follow it, and of every option with choices
/// these. bash and zsh both read it.
std::string shell_cases(const std::vector<CommandText>& all) {
  std::string cases = "  case \"$reached\" in\n";
  for (const CommandText& command : all)
    cases += fmt::format("    {}) commands={}; options={} ;;\n", shell_word(command.path),
                         shell_word(joined(command.commands, " ")),
                         shell_word(joined(option_words(command), " ")));
  cases += "  esac\n  case \"$reached $before\" in\n";
  for (const CommandText& command : all)
    for (const OptionText& option : command.options)
      if (!option.choices.empty() && !option.argument)
        for (const std::string& name : option.names)
          cases += fmt::format("    {}) choices={} ;;\n", shell_word(command.path + " " + name),
                               shell_word(joined(option.choices, " ")));
  return cases + "  esac\n";
}

/// Which command the words have reached: those that are commands below it, one after the other.
/// `words` is an array of the shell, `first` and `last` its first word after the program's name and
/// the one before that which is completed.
std::string shell_path(const std::vector<CommandText>& all) {
  std::string paths;
  for (const CommandText& command : all)
    if (!command.path.empty()) paths += (paths.empty() ? "" : "|") + shell_word(command.path);
  return "    case \"${reached:+$reached }$word\" in\n      " + paths +
         ") reached=\"${reached:+$reached }$word\" ;;\n    esac\n";
}

std::string bash_completion(const std::vector<CommandText>& all) {
  return "# bash completion for logdepth, written by logdepth --completion bash\n"
         "_logdepth() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local reached='' commands='' options='' choices='' word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n" +
         shell_path(all) + "  done\n" + shell_cases(all) +
         "  local words=\"$commands\"\n"
         "  if [[ \"$current\" == -* ]]; then words=\"$options\"; fi\n"
         "  if [[ -n \"$choices\" ]]; then words=\"$choices\"; fi\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
         "}\n"
         "complete -o default -F _logdepth logdepth\n";
}

std::string zsh_completion(const std::vector<CommandText>& all) {
  return "#compdef logdepth\n"
         "# zsh completion for logdepth, written by logdepth --completion zsh\n"
         "_logdepth() {\n"
         "  local current=\"${words[CURRENT]}\" before=\"${words[CURRENT-1]}\"\n"
         "  local reached='' commands='' options='' choices='' word\n"
         "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         shell_path(all) + "  done\n" + shell_cases(all) +
         "  if [[ -n \"$choices\" ]]; then compadd -- ${=choices}\n"
         "  elif [[ \"$current\" == -* ]]; then compadd -- ${=options}\n"
         "  elif [[ -n \"$commands\" ]]; then compadd -- ${=commands}\n"
         "  else _files; fi\n"
         "}\n"
         "_logdepth \"$@\"\n";
}

std::string fish_completion(const std::vector<CommandText>& all) {
  std::string text =
      "# fish completion for logdepth, written by logdepth --completion fish\n"
      "function __logdepth_path\n"
      "  set -l reached ''\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    switch (string trim \"$reached $word\")\n      case";
  for (const CommandText& command : all)
    if (!command.path.empty()) text += " " + shell_word(command.path);
  text +=
      "\n        set reached (string trim \"$reached $word\")\n    end\n  end\n"
      "  test \"$reached\" = \"$argv[1]\"\nend\n";
  for (const CommandText& command : all) {
    const std::string when =
        "complete -c logdepth -n \"__logdepth_path " + shell_word(command.path) + "\" ";
    for (const std::string& below : command.commands)
      text += when + "-f -a " + shell_word(below) + "\n";
    for (const OptionText& option : command.options) {
      if (option.argument) continue;
      std::string line = when;
      for (const std::string& name : option.names)
        line +=
            name.starts_with("--") ? "-l " + name.substr(2) + " " : "-s " + name.substr(1) + " ";
      if (!option.value.empty()) line += option.choices.empty() ? "-r " : "-x ";
      if (!option.choices.empty()) line += "-a " + shell_word(joined(option.choices, " ")) + " ";
      text += line + "-d " + shell_word(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const std::vector<CommandText> all = commands_of(app);
  std::string page = fmt::format(
      ".TH LOGDEPTH 1 \"\" \"logdepth {}\" \"User Commands\"\n"
      ".SH NAME\nlogdepth \\- transformer constructions as exact weights\n"
      ".SH SYNOPSIS\n\\fBlogdepth\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]...\n"
      ".SH DESCRIPTION\n{}\n.PP\nExample: {}\n.SH OPTIONS\n",
      LOGDEPTH_VERSION, roff(all.front().description), roff(all.front().example));
  for (const OptionText& option : all.front().options) page += roff_option(option);
  page += ".SH COMMANDS\n";
  for (const CommandText& command : all) {
    if (command.path.empty()) continue;
    page += ".SS logdepth " + roff(command.path) + "\n" + roff(command.description) + "\n";
    if (!command.example.empty()) page += ".PP\nExample: " + roff(command.example) + "\n";
    for (const OptionText& option : command.options)
      if (std::ranges::count(option.names, "--help") == 0) page += roff_option(option);
  }
  return page +
         ".SH EXIT STATUS\n"
         ".TP\n0\nDone, passed, decided.\n"
         ".TP\n1\nA check failed: a counterexample, a violated selection contract, a difference.\n"
         ".TP\n2\nInvalid input; one-line message.\n"
         ".TP\n3\nUndecided, hypothesis violated, not certified, or resource limit exceeded.\n";
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandText> all = commands_of(app);
  if (shell == "fish") return fish_completion(all);
  return shell == "zsh" ? zsh_completion(all) : bash_completion(all);
}

}  // namespace logdepth::inline cli
