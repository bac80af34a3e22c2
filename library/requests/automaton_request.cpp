#include "library/requests/automaton_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "library/requests/option_checks.hpp"
#include "library/requests/source_file.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "objects/text_format.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::inline library_requests {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of an automaton's file

/// Without a byte order mark. Errors: InputError for another encoding.
std::string text_of(const std::string& content, const std::string& source) {
  return std::string(without_byte_order_mark(content, source));
}

Nfa read_fst_file(const std::string& text, const std::string& source,
                  const AutomatonSource& beside) {
  if (!beside.symbols) return read_fst(text, source);
  const std::string& name = beside.symbols->name;
  return read_fst(text, source, text_of(content_of(*beside.symbols), name), name);
}
Nfa read_jff_file(const std::string& text, const std::string& source, const AutomatonSource&) {
  return read_jff(text, source);
}
Nfa read_dot_file(const std::string& text, const std::string& source, const AutomatonSource&) {
  return read_dot(text, source);
}

Nfa read_mata_file(const std::string& text, const std::string& source, const AutomatonSource&) {
  return read_mata(text, source);
}
Nfa read_json_file(const std::string& text, const std::string& source, const AutomatonSource&) {
  return read_automaton_json(text, source);
}

constexpr std::array kAutomatonFiles = {
    AutomatonFile{"fst", "--fst", "OpenFst (AT&T) text file of an acceptor", &AutomatonSource::fst,
                  read_fst_file},
    AutomatonFile{"jff", "--jff", "JFLAP file", &AutomatonSource::jff, read_jff_file},
    AutomatonFile{"dot", "--dot", "Graphviz file, with accepting states as doublecircle",
                  &AutomatonSource::dot, read_dot_file},
    AutomatonFile{"mata", "--mata", "Mata file (@NFA-explicit or @NFA-bits)",
                  &AutomatonSource::mata, read_mata_file},
    // --json is said of what a command prints.
    AutomatonFile{"json", "--json-automaton",
                  "JSON file of a DFA or NFA, as the Python library automata-lib has it",
                  &AutomatonSource::json, read_json_file},
};

/// What names the automaton, by the options.
std::vector<std::string> named_by(const AutomatonSource& source) {
  std::vector<std::string> names;
  if (source.regex) names.push_back("--regex");
  for (const AutomatonFile& kind : kAutomatonFiles)
    if (source.*kind.file) names.push_back(kind.option);
  if (source.group) names.push_back("--group");
  if (source.transitions) names.push_back("transitions");
  return names;
}

void check_source(const AutomatonSource& source) {
  const std::vector<std::string> names = named_by(source);
  std::string expected = "expected one of --regex, ";
  for (const AutomatonFile& kind : kAutomatonFiles) expected += std::string(kind.option) + ", ";
  expected += "--group to name the language";
  require(!names.empty(), expected);
  require(names.size() == 1, expected + ", found " + joined(names, " and "));
  require(!source.group || !source.alphabet,
          "--alphabet is not allowed with --group, whose letters are its generators");
  require(source.group || !source.letters, "--letters requires --group");
  require(source.fst || !source.symbols, "--symbols requires --fst");
  if (source.letters) require_one_of("--letters", *source.letters, kGroupLetters);
}

/// The automaton over a given alphabet, which must contain every letter it uses.
Nfa over_alphabet(Nfa nfa, const Alphabet& alphabet, const std::string& source) {
  std::vector<Letter> translated;
  for (const std::string& name : nfa.alphabet.names()) {
    const auto letter = alphabet.find(name);
    if (!letter)
      throw InputError(source + ": letter " + in_quotes(name) + " is not in the alphabet");
    translated.push_back(*letter);
  }
  for (Nfa::Arc& arc : nfa.arcs)
    if (arc.letter) arc.letter = translated[*arc.letter];
  nfa.alphabet = alphabet;
  return nfa;
}

/// Of the states of the minimal automaton, without those that only repeat our numbers, or that
/// nobody would read.
std::vector<std::string> names_worth_saying(const Nfa& nfa, const Dfa& minimal) {
  constexpr std::size_t kMostCharacters = 4000;
  std::vector<std::string> names = state_names(nfa, minimal, kMostCharacters);
  bool numbers = true;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers = numbers && names[i] == std::to_string(i);
    characters += names[i].size();
  }
  if (numbers || characters > kMostCharacters) names.clear();
  return names;
}

LoadedAutomaton load_language(std::string name, Nfa nfa, std::unique_ptr<LanguageOracle> oracle) {
  LoadedAutomaton loaded;
  loaded.name = std::move(name);
  loaded.nfa_states = nfa.states();
  const Dfa dfa = determinise(nfa);
  loaded.dfa_states = dfa.states();
  loaded.minimal = minimise(dfa);
  loaded.state_names = names_worth_saying(nfa, *loaded.minimal);
  loaded.action = to_action(*loaded.minimal);
  loaded.oracle = std::move(oracle);
  loaded.given = std::move(nfa);
  return loaded;
}

LoadedAutomaton load_group(const AutomatonSource& source) {
  LoadedAutomaton loaded;
  loaded.name = "group " + *source.group;
  loaded.action = named_monoid(
      *source.group, source.letters == "all" ? NamedLetters::all : NamedLetters::generators);
  try {
    loaded.minimal = to_minimal_dfa(loaded.action);
  } catch (const SizeLimit&) {
    // A large group is compiled through its points all the same.
  }
  loaded.oracle = make_action_oracle(loaded.action, loaded.name);
  return loaded;
}

/// Errors: InputError where it is none.
Nfa nfa_of(const TransitionTable& table) {
  const std::string where = "transitions " + in_quotes(table.name) + ": ";
  const std::size_t states = table.next.size(), letters = table.letters.size();
  require(states > 0 && table.accepting.size() == states,
          where + fmt::format("expected as many states in next and accepting, and at least one; "
                              "found {} and {}",
                              states, table.accepting.size()));
  require(
      table.states.empty() || table.states.size() == states,
      where + fmt::format("expected {} names of states, found {}", states, table.states.size()));
  require(table.start < states,
          where + fmt::format("start: expected a state below {}, found {}", states, table.start));
  Nfa nfa{Alphabet(table.letters), {table.start}, table.accepting, {}, table.states};
  for (State from = 0; from < states; ++from) {
    if (table.next[from].size() != letters)
      throw InputError(where +
                       fmt::format("state {}: expected a next state for each of {} letters, "
                                   "found {}",
                                   from, letters, table.next[from].size()));
    for (Letter letter = 0; letter < letters; ++letter) {
      const auto to = table.next[from][letter];
      if (!to) continue;
      if (*to >= states)
        throw InputError(where +
                         fmt::format("state {}, letter {}: expected a state below {}, found {}",
                                     from, in_quotes(table.letters[letter]), states, *to));
      nfa.arcs.push_back({from, letter, *to});
    }
  }
  return nfa;
}

/// What is said of a language that is empty, or that has all words; empty for others.
std::string note_of_language(const Nfa& nfa, const Dfa& minimal, const std::string& machine) {
  if (minimal.states() > 1) return "";
  if (minimal.accepting.front())
    return "every word over its " + counted(minimal.alphabet.size(), "letter") + " is accepted";
  const bool none = std::ranges::find(nfa.accepting, true) == nfa.accepting.end();
  return std::string(nfa.initial.empty() ? "no state is initial"
                     : none              ? "no state accepts"
                                         : "no accepting state is reached from the initial one") +
         ", so no word is accepted" + (machine.empty() ? "" : "; " + machine);
}

/// One that is decided by following its arcs.
LoadedAutomaton load_arcs(const std::string& name, Nfa nfa, const std::string& where,
                          const std::optional<Alphabet>& alphabet) {
  if (alphabet) nfa = over_alphabet(std::move(nfa), *alphabet, where);
  auto oracle = make_nfa_oracle(nfa, name);
  std::vector<std::string> notes = nfa.notes;
  const std::string machine = nfa.looks_like;
  LoadedAutomaton loaded = load_language(name, std::move(nfa), std::move(oracle));
  loaded.notes = std::move(notes);
  const std::string note = note_of_language(*loaded.given, *loaded.minimal, machine);
  if (!note.empty()) loaded.notes.push_back(where + ": " + note);
  return loaded;
}

}  // namespace

std::span<const AutomatonFile> automaton_files() {
  return kAutomatonFiles;
}

bool names_automaton(const AutomatonSource& source) {
  return !named_by(source).empty();
}

std::vector<std::string> files_of(const AutomatonSource& source) {
  std::vector<std::string> files;
  const auto add = [&](const std::optional<SourceFile>& file) {
    if (file && !file->text) files.push_back(file->name);
  };
  for (const AutomatonFile& kind : kAutomatonFiles) add(source.*kind.file);
  add(source.symbols);
  return files;
}

Letters split_letters(const std::string& text) {
  Letters names;
  if (text.find(',') == std::string::npos) {
    for (std::size_t i = 0; i < text.size();) {  // one UTF-8 character after the other
      std::size_t length = 1;
      while (i + length < text.size() &&
             (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80)
        ++length;
      names.push_back(text.substr(i, length));
      i += length;
    }
    return names;
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    names.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

LoadedAutomaton load_automaton(const AutomatonSource& source, const Letters& letters) {
  check_source(source);
  if (source.group) return load_group(source);
  std::optional<Alphabet> alphabet;
  if (source.alphabet) {
    alphabet = Alphabet(*source.alphabet);
  } else if (!letters.empty()) {
    alphabet = Alphabet(letters);
  }
  if (source.regex) {
    ParsedRegex regex = parse_regex(*source.regex, alphabet);
    Nfa nfa = to_nfa(regex);
    return load_language("regex " + *source.regex, std::move(nfa),
                         make_regex_oracle(std::move(regex)));
  }
  if (source.transitions)
    return load_arcs(source.transitions->name, nfa_of(*source.transitions),
                     source.transitions->name, alphabet);
  const AutomatonFile& kind = *std::ranges::find_if(
      kAutomatonFiles,
      [&](const AutomatonFile& known) { return (source.*known.file).has_value(); });
  const SourceFile& file = *(source.*kind.file);
  return load_arcs(std::string(kind.name) + " " + base_name(file),
                   kind.read(text_of(content_of(file, kMostBytes), file.name), file.name, source),
                   file.name, alphabet);
}

Nfa LoadedAutomaton::minimal_to_write() const {
  if (!minimal) throw SizeLimit(name + ": the minimal automaton is too large to write");
  Nfa nfa = nfa_of(*minimal);
  nfa.names = state_names;
  return nfa;
}

std::string LoadedAutomaton::sizes() const {
  if (nfa_states)
    return fmt::format("NFA {}, DFA {}, minimal DFA {}", counted(*nfa_states, "state"), *dfa_states,
                       minimal->states());
  return fmt::format("{}, minimal DFA {}", counted(action.points, "point"),
                     minimal ? counted(minimal->states(), "state") : "more than 100000 states");
}

}  // namespace logdepth::inline library_requests
