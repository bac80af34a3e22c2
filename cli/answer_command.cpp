#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <new>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "cli/options.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/program/program.hpp"
#include "logdepth/errors.hpp"
#include "logdepth/export.hpp"

namespace logdepth { inline namespace cli {
namespace {

/// What is wrong with the arguments, in one sentence: an unknown command or option with the name that
/// was probably meant, else what the parser says; and where help is.
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
  if (!unknown) {
    constexpr std::string_view kNothing = "Value  not in range";  // CLI11's, of an empty value
    std::string sentence = error.what();
    if (const std::size_t place = sentence.find(kNothing); place != std::string::npos)
      sentence = sentence.replace(place, kNothing.size(), "expected a number from") + ", found ''";
    return sentence + help;
  }
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

constexpr std::size_t kColumns = 100, kLeftColumns = 30;
/// Longer lists of choices are printed with the description.
constexpr std::size_t kLongestChoices = 60;
constexpr const char* kExample = "Example: ";

void break_text(const std::string& text, std::size_t columns, std::vector<std::string>& lines) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  lines.push_back(line);
}

/// A command goes on after "&&", so that a copy of its lines still runs.
void break_example(const std::string& example, std::vector<std::string>& lines) {
  const std::size_t at = example.find(" && ");
  if (example.size() <= kColumns || at == std::string::npos) {
    lines.push_back(example);
    return;
  }
  lines.push_back(example.substr(0, at + 3));
  lines.push_back(std::string(sizeof "Example:", ' ') + example.substr(at + 4));
}

/// The left column, and beside it the text; below it where the left column is too wide.
std::string in_columns(const std::string& left, const std::string& text) {
  std::vector<std::string> lines;
  break_text(text, kColumns - kLeftColumns, lines);
  std::string page = "  " + left;
  if (page.size() >= kLeftColumns) page += "\n";
  for (const std::string& line : lines) {
    const std::size_t written = page.size() - (page.rfind('\n') + 1);
    page += std::string(kLeftColumns - written, ' ') + line + "\n";
  }
  return page;
}

struct ValueText {
  std::string value;  ///< "N", "TEXT", "scan|tree"; empty for a flag
  std::string note;   ///< "1 to 256"
};

/// From CLI11's type and check: "UINT:INT in [1 - 256]", "TEXT:{scan,tree}", "ENUM:last|mean-steps".
ValueText value_of(const CLI::Option& option) {
  if (!option.get_option_text().empty()) return {option.get_option_text(), ""};
  if (option.get_expected_max() == 0 || option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  const std::string kind = type.substr(0, colon);
  const std::string check = colon == std::string::npos ? "" : type.substr(colon + 1);
  ValueText text;
  if (const std::size_t open = check.find('['); open != std::string::npos) {
    const std::size_t dash = check.find(" - ", open);
    text.note = check.substr(open + 1, dash - open - 1) + " to " +
                check.substr(dash + 3, check.size() - dash - 4);
  } else if (check.starts_with('{')) {
    text.value = check.substr(1, check.size() - 2);
    std::replace(text.value.begin(), text.value.end(), ',', '|');
  } else if (!check.empty() && check != "COUNT") {
    text.value = check;
  } else if (kind != "UINT") {
    text.value = kind;
  }
  if (text.value.empty()) text.value = "N";
  if (text.value.size() > kLongestChoices) {
    text.note = "one of " + text.value;
    for (std::size_t at = 0; (at = text.note.find('|', at)) != std::string::npos;)
      text.note.replace(at, 1, ", ");
    text.value = "WORD";
  }
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size)
    text.value += option.get_delimiter() != '\0' ? ",..." : " ...";
  return text;
}

/// "--batch, --graph", in the order of the alphabet: a set of pointers has none.
std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) {
    const auto& all = option->get_lnames();
    names.push_back(all.empty() ? option->get_name() : "--" + all.front());
  }
  std::ranges::sort(names);
  return joined(names);
}

/// Prints --help in lines of at most 100 columns, which CLI11 does not break by itself: names and value
/// of an option on the left, on the right its description, its range and default, and the options that
/// it requires or excludes.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    std::istringstream paragraphs(app->get_description());
    std::vector<std::string> lines;
    for (std::string paragraph; std::getline(paragraphs, paragraph);)
      if (paragraph.starts_with(kExample))
        break_example(paragraph, lines);
      else
        break_text(paragraph, kColumns, lines);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::istringstream paragraphs(command->get_description());
    std::string text;
    for (std::string paragraph; std::getline(paragraphs, paragraph);)
      if (!paragraph.starts_with(kExample)) text += (text.empty() ? "" : "; ") + paragraph;
    return in_columns(command->get_name(), text);
  }

  /// A group of options of which one is given: its description is the heading.
  std::string make_expanded(const CLI::App* group) const override {
    HelpFormatter inside = *this;
    inside.alternatives_ = true;
    std::string text = "\n" + group->get_description() + ":\n";
    for (const CLI::Option* option : group->get_options())
      if (option != group->get_help_ptr()) text += inside.make_option(option, false);
    return text;
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    ValueText value = value_of(*option);
    if (is_positional) value.value.clear();
    std::vector<std::string> notes;
    if (!value.note.empty()) notes.push_back(value.note);
    std::string otherwise = option->get_default_str();
    std::erase_if(otherwise, [](char c) { return c == '[' || c == ']'; });
    if (!otherwise.empty()) notes.push_back("default: " + otherwise);
    if (option->get_required()) notes.push_back("required");
    if (!option->get_needs().empty()) notes.push_back("requires " + names_of(option->get_needs()));
    if (!alternatives_ && !option->get_excludes().empty())
      notes.push_back("not with " + names_of(option->get_excludes()));
    return in_columns(
        option->get_name(is_positional, !is_positional) +
            (value.value.empty() ? "" : " " + value.value),
        option->get_description() + (notes.empty() ? "" : " [" + joined(notes, "; ") + "]"));
  }

 private:
  bool alternatives_ = false;  ///< all options exclude each other, as the heading states
};

/// One line, whatever was quoted in it.
int fail(const std::string& sentence, int status) {
  drop_unfinished_answer();
  std::cerr << "logdepth: " << printable(sentence, kMostPrinted) << '\n';
  return status;
}

/// Options whose value may be empty: words, and what its own reader refuses.
constexpr std::array kMayBeEmpty = {"input", "tokens", "word",   "regex",
                                    "group", "monoid", "against"};

/// Any other empty value is a slip, such as an unset variable of a shell.
void refuse_empty_values(CLI::App& app) {
  const auto expect_value = [](const std::string& text) {
    return std::string(text.empty() ? "expected a value, found ''" : "");
  };
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0 &&
        std::ranges::none_of(kMayBeEmpty, [&](auto name) { return option->check_lname(name); }))
      option->check(expect_value, "");
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty_values(*below);
}

/// The arguments as CLI11 reads them right, last one first. It takes the argument after `--input=` for the word, and the one after
/// `--seeds ,` for a seed.
std::vector<std::string> arguments_of(const CLI::App& app, int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    for (const CLI::App* below : commands_below(*command))
      if (below->get_name() == argument) command = below;
    const std::string name = argument.substr(0, argument.find('='));
    const bool joined = name != argument;
    const CLI::Option* option =
        name.starts_with('-') ? command->get_option_no_throw(name) : nullptr;
    const bool takes_value = option && option->get_items_expected_max() > 0;
    if (option && !takes_value && argument == name + "=")
      throw InputError(name + ": expected no value, found " + in_quotes(argument));
    if (!takes_value || (!joined && i + 1 == argc)) {
      arguments.push_back(argument);
      continue;
    }
    std::string value = joined ? argument.substr(name.size() + 1) : argv[++i];
    if (option->get_items_expected_max() > 1 && value.find_first_not_of("[],") == std::string::npos)
      value.clear();  // a list of nothing
    arguments.insert(arguments.end(), {name, value});
  }
  return {arguments.rbegin(), arguments.rend()};
}

int run(int argc, const char* const* argv, Commands (*add_commands)(CLI::App&)) {
  CLI::App app{
      "compile transformer constructions to exact weights, run them without rounding error, and "
      "test them\n"
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
         [&app](const std::string&) { throw CLI::CallForVersion(completion_script(app), 0); },
         "print the completion script for this shell")
      ->check(choice_of({"bash"}))
      ->trigger_on_parse();
  app.require_subcommand(1);

  const Commands commands = add_commands(app);
  refuse_empty_values(app);
  try {
    app.parse(arguments_of(app, argc, argv));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(sentence_of(app, error), kBadInput);
  }
  for (const auto& [subcommand, command] : commands)
    if (subcommand->parsed()) return command();
  return fail("no subcommand", kBadInput);
}

}  // namespace

std::vector<const CLI::App*> commands_below(const CLI::App& app) {
  std::vector<const CLI::App*> commands;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!below->get_name().empty()) commands.push_back(below);
  return commands;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    if (below->get_name().empty())
      for (const CLI::Option* option : options_of(*below)) options.push_back(option);
  return options;
}

void add(Commands& commands, CLI::App& parent,
         const std::function<Command(CLI::App&)>& add_command) {
  Command command = add_command(parent);
  commands.emplace_back(parent.get_subcommands([](CLI::App*) { return true; }).back(),
                        std::move(command));
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

}}  // namespace logdepth::cli
