#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/automaton_options.hpp"
#include "library/requests/oracle_request.hpp"

namespace logdepth::inline cli {

/// The options that say what is right: --against, or those that name an automaton.
struct OracleOptions {
  std::string against;
  AutomatonOptions automaton;
  CLI::Option* against_option = nullptr;

  void add_to(CLI::App& app, const std::string& description);
  bool names_automaton() const { return logdepth::names_automaton(automaton.source); }
  bool given() const { return against_option->count() > 0 || names_automaton(); }
  OracleRequest request() const { return {against, automaton.source}; }
  /// The options as words of a shell.
  std::string as_typed() const;
};

}  // namespace logdepth::inline cli
