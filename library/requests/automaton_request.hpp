#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logdepth/constructions.hpp"
#include "objects/action.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::inline library_requests {

/// A kind of file that an automaton is read from. A new format is a member of AutomatonSource, a
/// row of automaton_files() and nothing else: the option, the oracle NAME:FILE and the ending .NAME
/// follow from it.
struct AutomatonFile {
  const char* name;         ///< "fst"
  const char* option;       ///< "--fst"
  const char* description;  ///< of the option
  std::optional<SourceFile> AutomatonSource::*file;
  /// Errors: InputError with file and line.
  Nfa (*read)(const std::string& text, const std::string& source, const AutomatonSource& beside);
};
std::span<const AutomatonFile> automaton_files();

/// Values of `letters`.
inline const std::vector<std::string> kGroupLetters = {"generators", "all"};

/// Whether anything names an automaton.
bool names_automaton(const AutomatonSource& source);
/// The files that are read, for refuse_overwriting.
std::vector<std::string> files_of(const AutomatonSource& source);

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
  std::optional<Nfa> given;  ///< over the alphabet that was asked for; absent for a group
  /// For standard error: what its reader chose or did not use, and whether its language is trivial.
  std::vector<std::string> notes = {};

  /// `minimal` with these names, to be written. Errors: SizeLimit where it is absent.
  Nfa minimal_to_write() const;
  /// "NFA 7 states, DFA 5, minimal DFA 4" or "5 points, minimal DFA 60 states".
  std::string sizes() const;
};

/// `letters`: the alphabet that a regular expression is read over when none is given.
/// Errors: InputError; SizeLimit.
LoadedAutomaton load_automaton(const AutomatonSource& source, const Letters& letters = {});

/// "abc" or, with commas, "open,close", as names of letters.
Letters split_letters(const std::string& text);

}  // namespace logdepth::inline library_requests
