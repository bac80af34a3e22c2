#include "library/requests/oracle_request.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/shell_word.hpp"
#include "logdepth/errors.hpp"
#include "objects/crasp.hpp"
#include "oracle/crasp_oracle.hpp"
#include "runtime/file/gzip_text.hpp"

namespace logdepth::inline library_requests {
namespace {

constexpr std::string_view kCommand = "command:", kCrasp = "crasp:";

/// "--against X": X is "kind:value", a file of a known kind, or a regular expression.
void name_automaton(const std::string& against, AutomatonSource& automaton) {
  const auto after = [&](const std::string& kind) -> std::optional<std::string> {
    if (!against.starts_with(kind + ":")) return std::nullopt;
    return against.substr(kind.size() + 1);
  };
  if (const auto expression = after("regex")) {
    automaton.regex = *expression;
    return;
  }
  if (const auto name = after("group")) {
    automaton.group = *name;
    return;
  }
  std::string endings;
  const std::string extension = std::filesystem::path(against).extension().string();
  for (const AutomatonFile& kind : automaton_files()) {
    if (const auto file = after(kind.name)) {
      automaton.*kind.file = *file;
      return;
    }
    endings += std::string(endings.empty() ? "." : ", .") + kind.name;
  }
  for (const AutomatonFile& kind : automaton_files())
    if (extension == std::string(".") + kind.name) {
      automaton.*kind.file = against;
      return;
    }
  if (std::filesystem::is_regular_file(against))
    throw InputError("--against " + against + ": expected a file that ends in " + endings +
                     " or .crasp; an oracle program is given as command:" + shell_word(against));
  automaton.regex = against;
}

bool is_program(const std::filesystem::path& file) {
  std::error_code failure;
  return std::filesystem::is_regular_file(file, failure) && access(file.c_str(), X_OK) == 0;
}

bool is_on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (is_program(std::filesystem::path(folder.empty() ? "." : folder) / program)) return true;
  return false;
}

/// The file of "crasp:FILE", or a file by its extension.
std::optional<std::string> crasp_file(const std::string& against) {
  if (against.starts_with(kCrasp)) return against.substr(kCrasp.size());
  if (std::filesystem::path(against).extension() == ".crasp") return against;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> OracleRequest::command() const {
  if (!against.starts_with(kCommand)) return std::nullopt;
  const std::size_t from = against.find_first_not_of(" \t\n", kCommand.size());
  if (from == std::string::npos) throw InputError("--against: expected a program after command:");
  const std::string command = against.substr(from, against.find_last_not_of(" \t\n") + 1 - from);
  // The shell looks for a name without a slash on the path only. A program of this folder that is not
  // there is meant.
  const std::string program = command.substr(0, command.find_first_of(" \t\n"));
  const bool plain = program.find_first_of("/'\"\\$`|&;<>(){}*?~=") == std::string::npos;
  if (plain && is_program(program) && !is_on_path(program)) return "./" + command;
  return command;
}

NamedLanguage load_language_oracle(const OracleRequest& request, const Model& model) {
  if (request.against.starts_with("graph:") || request.against == "division")
    throw InputError("the weights file " + in_quotes(model.name) + " takes words; " +
                     in_quotes(request.against) + " is for " +
                     (request.against == "division" ? "raw streams" : "graphs"));
  if (!request.against.empty() && names_automaton(request.automaton))
    throw InputError("expected --against or an option that names a language, found both");
  if (const auto command = request.command()) {
    auto oracle = make_command_oracle(*command, Alphabet(model.alphabet));
    std::string name = oracle->name();
    return {std::move(oracle), std::move(name)};
  }
  if (const auto file = crasp_file(request.against)) {
    std::string name = "crasp " + std::filesystem::path(*file).filename().string();
    auto oracle = make_crasp_oracle(parse_crasp(read_text_file(*file), *file), name);
    return {std::move(oracle), std::move(name)};
  }
  if (request.against.empty() && !names_automaton(request.automaton))
    throw InputError(
        "expected --against with an oracle: a regular expression, group:NAME, crasp:FILE, "
        "a file of an automaton or command:PROGRAM");
  AutomatonSource automaton = request.automaton;
  if (!request.against.empty()) name_automaton(request.against, automaton);
  LoadedAutomaton loaded = load_automaton(automaton, model.alphabet);
  return {std::move(loaded.oracle), std::move(loaded.name), std::move(loaded.notes)};
}

NamedReachability load_reachability_oracle(const OracleRequest& request, const Model& model) {
  if (const auto command = request.command())
    return {make_command_reachability(*command), false, kCommandOracle + *command};
  const bool undirected = request.against == "graph:undirected-reachability";
  if (!undirected && request.against != "graph:reachability")
    throw InputError("the weights file " + in_quotes(model.name) +
                     " takes graphs; expected --against graph:reachability, "
                     "graph:undirected-reachability or command:PROGRAM");
  return {nullptr, undirected, request.against};
}

}  // namespace logdepth::inline library_requests
