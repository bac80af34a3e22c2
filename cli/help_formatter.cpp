#include "cli/help_formatter.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "base/phrases.hpp"

namespace logdepth::inline cli {
namespace {

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
    std::ranges::replace(text.value, ',', '|');
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

}  // namespace

std::string HelpFormatter::make_description(const CLI::App* app) const {
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

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  std::istringstream paragraphs(command->get_description());
  std::string text;
  for (std::string paragraph; std::getline(paragraphs, paragraph);)
    if (!paragraph.starts_with(kExample)) text += (text.empty() ? "" : "; ") + paragraph;
  return in_columns(command->get_name(), text);
}

std::string HelpFormatter::make_expanded(const CLI::App* group) const {
  HelpFormatter inside = *this;
  inside.alternatives_ = true;
  std::string text = "\n" + group->get_description() + ":\n";
  for (const CLI::Option* option : group->get_options())
    if (option != group->get_help_ptr()) text += inside.make_option(option, false);
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
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

}  // namespace logdepth::inline cli
