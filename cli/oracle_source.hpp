#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "cli/automaton_source.hpp"
#include "oracle/command_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"

namespace logdepth {

/// The options that say what is right: --against, or those that name an automaton.
struct OracleOptions {
  std::string against;
  AutomatonOptions automaton;
  CLI::Option* against_option = nullptr;

  void add_to(CLI::App& app, const std::string& description);
  bool given() const { return against_option->count() > 0 || automaton.given(); }
  /// What a program of the user's is started by, for `command:PROGRAM`; absent for other oracles.
  std::optional<std::string> command() const;
  /// The options as words of a shell.
  std::string as_typed() const;
};

struct NamedLanguage {
  std::unique_ptr<LanguageOracle> oracle;
  std::string name;
};
/// What is right of the words of this model. Errors: InputError where the options say nothing, two
/// things, or what is right of graphs.
NamedLanguage load_language_oracle(OracleOptions& options, const Model& model);

struct NamedReachability {
  ReachabilityQuestion program;  ///< none: searches in the graph say what is right
  bool undirected = false;       ///< only graphs with every edge both ways
  std::string name;
};
/// What is right of graphs. Errors: InputError where the options say something else.
NamedReachability load_reachability_oracle(const OracleOptions& options, const Model& model);

}  // namespace logdepth
