#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logdepth/constructions.hpp"
#include "objects/automaton.hpp"
#include "oracle/command_oracle.hpp"
#include "oracle/language_oracle.hpp"
#include "runtime/file/model.hpp"

namespace logdepth { inline namespace library_requests {

/// Counts that are given as options: of letters, and of what a network has a part for.
inline constexpr std::uint64_t kMostCounted = 1000000000000000, kMostParts = 10000000;

/// What the command line's parser says of its options, for settings that it has not read.
/// Errors: InputError unless the value is one of these, or at most `most`.
void require_one_of(const std::string& option, const std::string& value,
                    const std::vector<std::string>& values);
void require_at_most(const std::string& option, std::uint64_t value, std::uint64_t most);

/// The sentences for a value that is none of these, and for a number or what is none.
std::string one_of_expected(const std::vector<std::string>& values, const std::string& found);
std::string whole_number_expected(std::uint64_t most, const std::string& found);

/// The text of what was named, or what is in the file. Errors: InputError, as read_whole_file.
std::string content_of(const SourceFile& source, std::size_t limit = std::size_t{1} << 30);
/// Its name without folders.
std::string base_name(const SourceFile& source);

/// A kind of file that an automaton is read from. A new format is a member of AutomatonSource, a
/// row of automaton_files() and nothing else: the option, the oracle NAME:FILE and the ending .NAME
/// follow from it.
struct AutomatonFile {
  const char* name;         ///< "fst"
  const char* option;       ///< "--fst"
  const char* description;  ///< of the option
  std::optional<SourceFile> AutomatonSource::*file;
  /// Errors: InputError with file and line.
  Nfa (*read)(const std::string& text, const std::string& source);
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

/// The automaton that is given, with notes, and never made deterministic; absent for a group. Errors: InputError.
std::optional<Nfa> given_automaton(const AutomatonSource& source);

/// "abc" or, with commas, "open,close", as names of letters.
Letters split_letters(const std::string& text);
/// The names of the letters of a word.
Letters letters_of(const Word& word, const Alphabet& alphabet);
/// "abba" or "open close": the way a user types the word.
std::string show_word(const Letters& letters);

/// What says what is right: `against`, as the option of this name has it, or an automaton.
struct OracleRequest {
  std::string against;
  AutomatonSource automaton;

  /// What a program of the user's is started by, for `command:PROGRAM`; absent for other oracles.
  std::optional<std::string> command() const;
};

struct NamedLanguage {
  std::unique_ptr<LanguageOracle> oracle;
  std::string name;
  std::vector<std::string> notes = {};  ///< on the file of the automaton, for standard error
};
/// What is right of the words of this model. Errors: InputError where the request says nothing, two
/// things, or what is right of graphs.
NamedLanguage load_language_oracle(const OracleRequest& request, const Model& model);

struct NamedReachability {
  ReachabilityQuestion program;  ///< none: searches in the graph say what is right
  bool undirected = false;       ///< only graphs with every edge both ways
  std::string name;
};
/// What is right of graphs. Errors: InputError where the request says something else.
NamedReachability load_reachability_oracle(const OracleRequest& request, const Model& model);

}}  // namespace logdepth::library_requests
