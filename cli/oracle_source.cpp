#include "cli/oracle_source.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/shell_word.hpp"
#include "logdepth/errors.hpp"
#include "objects/crasp.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

constexpr std::string_view kCommand = "command:", kCrasp = "crasp:";

/// "--against X": X is "kind:value", a file of a known kind, or a regular expression.
void name_automaton(OracleOptions& options) {
  std::string kind, value = options.against;
  for (const char* known : {"regex", "fst", "jff", "dot", "group"}) {
    const std::string prefix = std::string(known) + ":";
    if (value.starts_with(prefix)) {
      kind = known;
      value = value.substr(prefix.size());
    }
  }
  if (kind.empty()) {
    const std::string extension = std::filesystem::path(value).extension().string();
    if (extension == ".fst" || extension == ".jff" || extension == ".dot") {
      kind = extension.substr(1);
    } else if (std::filesystem::is_regular_file(value)) {
      throw InputError(
          "--against " + value +
          ": expected a file that ends in .fst, .jff, .dot or .crasp; a program that says what "
          "is right is named as command:" +
          shell_word(value));
    } else {
      kind = "regex";
    }
  }
  const std::vector<std::string> kinds = {"regex", "fst", "jff", "dot", "group"};
  const auto at = std::find(kinds.begin(), kinds.end(), kind) - kinds.begin();
  CLI::Option* option = options.automaton.sources[static_cast<std::size_t>(at)];
  option->add_result(value);
  option->run_callback();
}

/// The file of "crasp:FILE", or a file by its extension.
std::optional<std::string> crasp_file(const std::string& against) {
  if (against.starts_with(kCrasp)) return against.substr(kCrasp.size());
  if (std::filesystem::path(against).extension() == ".crasp") return against;
  return std::nullopt;
}

}  // namespace

void OracleOptions::add_to(CLI::App& app, const std::string& description) {
  against_option = app.add_option("--against", against, description);
  automaton.add_to(app);
}

std::optional<std::string> OracleOptions::command() const {
  if (!against.starts_with(kCommand)) return std::nullopt;
  const std::size_t from = against.find_first_not_of(" \t\n", kCommand.size());
  if (from == std::string::npos) throw InputError("--against: expected a program after command:");
  return against.substr(from, against.find_last_not_of(" \t\n") + 1 - from);
}

std::string OracleOptions::as_typed() const {
  std::vector<const CLI::Option*> all = {against_option};
  all.insert(all.end(), automaton.sources.begin(), automaton.sources.end());
  all.insert(all.end(),
             {automaton.alphabet_option, automaton.symbols_option, automaton.letters_option});
  std::string text;
  for (const CLI::Option* option : all)
    for (const std::string& value : option->results())
      text += (text.empty() ? "" : " ") + option->get_name() + " " + shell_word(value);
  return text;
}

NamedLanguage load_language_oracle(OracleOptions& options, const Model& model) {
  if (options.against.starts_with("graph:") || options.against == "division")
    throw InputError("the weights file '" + model.name + "' takes words; '" + options.against +
                     "' is for " + (options.against == "division" ? "raw streams" : "graphs"));
  if (!options.against.empty() && options.automaton.given())
    throw InputError("--against and another option both name the language");
  if (const auto command = options.command()) {
    auto oracle = make_command_oracle(*command, Alphabet(model.alphabet));
    std::string name = oracle->name();
    return {std::move(oracle), std::move(name)};
  }
  if (const auto file = crasp_file(options.against)) {
    std::string name = "crasp " + std::filesystem::path(*file).filename().string();
    auto oracle = make_crasp_oracle(parse_crasp(read_whole_file(*file), *file), name);
    return {std::move(oracle), std::move(name)};
  }
  if (options.against.empty() && !options.automaton.given())
    throw InputError(
        "expected --against to say what is right: a regular expression, group:NAME, crasp:FILE, "
        "a file of an automaton or command:PROGRAM");
  if (!options.against.empty()) name_automaton(options);
  LoadedAutomaton loaded = load_automaton(options.automaton, model.alphabet);
  return {std::move(loaded.oracle), std::move(loaded.name)};
}

NamedReachability load_reachability_oracle(const OracleOptions& options, const Model& model) {
  if (const auto command = options.command())
    return {make_command_reachability(*command), false, kCommandOracle + *command};
  const bool undirected = options.against == "graph:undirected-reachability";
  if (!undirected && options.against != "graph:reachability")
    throw InputError("the weights file '" + model.name +
                     "' takes graphs; expected --against graph:reachability, "
                     "graph:undirected-reachability or command:PROGRAM");
  return {nullptr, undirected, options.against};
}

}  // namespace logdepth
