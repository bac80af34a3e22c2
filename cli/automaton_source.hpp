#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "objects/action.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth {

/// The options that name an automaton: exactly one of --regex, --fst, --jff, --dot, --group.
struct AutomatonOptions {
  std::string regex, fst, jff, dot, group, alphabet, symbols;
  std::string letters = "generators";
  std::vector<CLI::Option*> sources;
  CLI::Option *alphabet_option = nullptr, *symbols_option = nullptr, *letters_option = nullptr;

  void add_to(CLI::App& app);
  bool given() const;
};

/// An automaton as the user gave it, what is compiled, and a way to decide its language that shares
/// nothing with what is compiled.
struct LoadedAutomaton {
  std::string name;            ///< "regex (a|b)*abb", "fst FILE", "group A5"
  Action action;               ///< what a construction compiles
  std::optional<Dfa> minimal;  ///< absent when it would be too large (large groups)
  std::optional<std::size_t> nfa_states, dfa_states;
  std::vector<std::string>
      state_names;  ///< of `minimal`, from those of the user's file; else empty
  std::unique_ptr<LanguageOracle> oracle;

  /// "7 NFA states, 5 deterministic, 4 minimal" or "5 points, 60 minimal states".
  std::string sizes() const;
};

/// `letters`: the alphabet that a regular expression is read over when --alphabet is not given.
/// Errors: InputError; SizeLimit.
LoadedAutomaton load_automaton(const AutomatonOptions& options,
                               const std::vector<std::string>& letters = {});

/// "abc" or, with commas, "open,close".
Alphabet parse_alphabet(const std::string& text);

}  // namespace logdepth
