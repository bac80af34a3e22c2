#include "library/requests/automaton_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/crasp.hpp"
#include "objects/named_monoids.hpp"
#include "objects/past_ltl.hpp"
#include "objects/regex.hpp"
#include "objects/text_format.hpp"
#include "objects/transition_monoid.hpp"
#include "oracle/crasp_oracle.hpp"
#include "oracle/formula_oracle.hpp"
#include "oracle/induction_hops_oracle.hpp"
#include "oracle/past_ltl_oracle.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace library_requests {

void require_one_of(const std::string& option, const std::string& value,
                    const std::vector<std::string>& values) {
  if (std::ranges::find(values, value) == values.end())
    throw InputError(option + ": " + one_of_expected(values, value));
}

void require_at_most(const std::string& option, std::uint64_t value, std::uint64_t most) {
  if (value > most)
    throw InputError(option + ": " + whole_number_expected(most, std::to_string(value)));
}

std::string one_of_expected(const std::vector<std::string>& values, const std::string& found) {
  return fmt::format("expected one of {}; found {}", joined(values), in_quotes(found));
}

std::string whole_number_expected(std::uint64_t most, const std::string& found) {
  return fmt::format("expected a whole number from 0 to {}, found {}", most, in_quotes(found));
}

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // of an automaton's file

/// Without a byte order mark. Errors: InputError for another encoding.
std::string text_of(const std::string& content, const std::string& source) {
  return std::string(without_byte_order_mark(content, source));
}

constexpr std::array kAutomatonFiles = {
    AutomatonFile{
        "fst", "--fst", "OpenFst (AT&T) text file of an acceptor", &AutomatonSource::fst,
        [](const std::string& text, const std::string& source) { return read_fst(text, source); }},
    AutomatonFile{"jff", "--jff", "JFLAP file", &AutomatonSource::jff, read_jff},
    AutomatonFile{"dot", "--dot", "Graphviz file, with accepting states as doublecircle",
                  &AutomatonSource::dot, read_dot},
    AutomatonFile{"mata", "--mata", "Mata file (@NFA-explicit)", &AutomatonSource::mata, read_mata},
    // --json is said of what a command prints.
    AutomatonFile{"json", "--json-automaton",
                  "JSON file of a DFA or NFA, as the Python library automata-lib has it",
                  &AutomatonSource::json, read_automaton_json},
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
  Nfa nfa{Alphabet::of_input(table.letters), {table.start}, table.accepting, {}, table.states};
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

/// Whether arcs lead from an initial state to an accepting one.
bool accepts_a_word(const Nfa& nfa) {
  std::vector<std::vector<State>> next(nfa.states());
  for (const Nfa::Arc& arc : nfa.arcs) next[arc.from].push_back(arc.to);
  std::vector<State> reached = nfa.initial;
  std::vector<bool> met(nfa.states());
  while (!reached.empty()) {
    const State state = reached.back();
    reached.pop_back();
    if (met[state]) continue;
    if (nfa.accepting[state]) return true;
    met[state] = true;
    reached.insert(reached.end(), next[state].begin(), next[state].end());
  }
  return false;
}

/// What is said of a language that is empty, or that has all words; empty for others.
std::string note_of_language(const Nfa& nfa, bool all_words) {
  if (all_words)
    return "every word over its " + counted(nfa.alphabet.size(), "letter") + " is accepted";
  if (accepts_a_word(nfa)) return "";
  const std::string& machine = nfa.looks_like;
  const bool none = std::ranges::find(nfa.accepting, true) == nfa.accepting.end();
  return std::string(nfa.initial.empty() ? "no state is initial"
                     : none              ? "no state accepts"
                                         : "no accepting state is reached from the initial one") +
         ", so no word is accepted" + (machine.empty() ? "" : "; " + machine);
}

/// What a user gives, other than a group.
struct Given {
  std::string name, where;
  Nfa nfa;
  std::optional<ParsedRegex> regex;
};

/// Characters that stand for words or languages elsewhere, and expressions that are names of groups.
std::vector<std::string> notes_on_regex(const std::string& text, const Alphabet& alphabet) {
  std::vector<std::string> notes;
  for (const std::string& letter : alphabet.names())
    if ((is_epsilon_word(letter) || letter == "\xE2\x88\x85") &&
        text.find(letter) != std::string::npos)
      notes.push_back("the letter " + in_quotes(letter) +
                      " is read as a letter; () is the empty word, and !(.*) is no word");
  if (std::isalpha(static_cast<unsigned char>(text[0])) == 0) return notes;
  try {
    (void)named_monoid(text, NamedLetters::generators);
    notes.push_back("the expression " + in_quotes(text) +
                    " is read as a word of letters; --group reads it as a group");
  } catch (const std::runtime_error&) {
    // It is no name of a group, or of a large one.
  }
  return notes;
}

Given given_by(const AutomatonSource& source, const Letters& letters) {
  std::optional<Alphabet> alphabet;
  if (source.alphabet) {
    alphabet = Alphabet::of_input(*source.alphabet);
  } else if (!letters.empty()) {
    alphabet = Alphabet(letters);
  }
  if (source.regex) {
    ParsedRegex regex = parse_regex(*source.regex, alphabet);
    Nfa nfa = to_nfa(regex);
    nfa.notes = notes_on_regex(*source.regex, nfa.alphabet);
    return {"regex " + *source.regex, "", std::move(nfa), std::move(regex)};
  }
  Given given;
  if (source.transitions) {
    given = {source.transitions->name, source.transitions->name, nfa_of(*source.transitions), {}};
  } else {
    const AutomatonFile& kind = *std::ranges::find_if(
        kAutomatonFiles,
        [&](const AutomatonFile& known) { return (source.*known.file).has_value(); });
    const SourceFile& file = *(source.*kind.file);
    const std::string text = text_of(content_of(file, kMostBytes), file.name);
    const auto& symbols = source.symbols;  // of OpenFst files only
    given = {std::string(kind.name) + " " + base_name(file),
             file.name,
             symbols ? read_fst(text, file.name, text_of(content_of(*symbols), symbols->name),
                                symbols->name)
                     : kind.read(text, file.name),
             {}};
  }
  if (alphabet) given.nfa = over_alphabet(std::move(given.nfa), *alphabet, given.where);
  return given;
}

}  // namespace

std::string content_of(const SourceFile& source, std::size_t limit) {
  return source.text ? *source.text : read_text_file(source.name, limit);
}

std::string base_name(const SourceFile& source) {
  return std::filesystem::path(source.name).filename().string();
}

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

Letters letters_of(const Word& word, const Alphabet& alphabet) {
  Letters letters;
  for (const Letter letter : word) letters.push_back(alphabet.name(letter));
  return letters;
}

std::string show_word(const Letters& letters) {
  const bool together = std::ranges::all_of(
      letters, [](const std::string& letter) { return count_characters(letter) == 1; });
  return joined(letters, together ? "" : " ");
}

LoadedAutomaton load_automaton(const AutomatonSource& source, const Letters& letters) {
  check_source(source);
  if (source.group) return load_group(source);
  Given given = given_by(source, letters);
  auto oracle =
      given.regex ? make_regex_oracle(*given.regex) : make_nfa_oracle(given.nfa, given.name);
  LoadedAutomaton loaded = load_language(given.name, std::move(given.nfa), std::move(oracle));
  loaded.notes = loaded.given->notes;
  const bool all = loaded.minimal->states() == 1 && loaded.minimal->accepting.front();
  const std::string note = given.regex ? "" : note_of_language(*loaded.given, all);
  if (!note.empty()) loaded.notes.push_back(given.where + ": " + note);
  return loaded;
}

std::optional<Nfa> given_automaton(const AutomatonSource& source) {
  check_source(source);
  if (source.group) return std::nullopt;
  Given given = given_by(source, {});
  const std::string note = given.regex ? "" : note_of_language(given.nfa, false);
  if (!note.empty()) given.nfa.notes.push_back(given.where + ": " + note);
  return std::move(given.nfa);
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

namespace {

constexpr std::string_view kCommand = "command:", kCrasp = "crasp:", kHops = "khop:", kLtl = "ltl:",
                           kFormula = "formula:";

/// "--against X": X is "kind:value", a file of a known kind, or a regular expression.
void name_automaton(const std::string& against, AutomatonSource& automaton) {
  const auto after = [&](const std::string& kind) -> std::optional<std::string> {
    if (!against.starts_with(kind + ":")) return std::nullopt;
    return against.substr(kind.size() + 1);
  };
  automaton.regex = after("regex");
  automaton.group = after("group");
  if (automaton.regex || automaton.group) return;
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
  return against.substr(from, against.find_last_not_of(" \t\n") + 1 - from);
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
  if (request.against.starts_with(kHops)) {
    const std::string said = request.against.substr(kHops.size());
    const auto hops = whole_number(said);
    if (!hops && said != "token")
      throw InputError("--against " + request.against +
                       ": expected khop: and the number of hops, or khop:token");
    return {make_induction_hops_oracle(Alphabet(model.alphabet), hops, request.against),
            request.against};
  }
  if (request.against.starts_with(kFormula))
    return {make_formula_oracle(Alphabet(model.alphabet), request.against.substr(kFormula.size())),
            request.against};
  if (request.against.starts_with(kLtl))
    return {make_past_ltl_oracle(
                parse_past_formula(request.against.substr(kLtl.size()), model.alphabet),
                request.against),
            request.against};
  if (const auto file = crasp_file(request.against)) {
    std::string name = "crasp " + std::filesystem::path(*file).filename().string();
    auto oracle = make_crasp_oracle(parse_crasp(read_text_file(*file), *file), name);
    return {std::move(oracle), std::move(name)};
  }
  if (request.against.empty() && !names_automaton(request.automaton))
    throw InputError(
        "expected --against with an oracle: a regular expression, group:NAME, crasp:FILE, "
        "ltl:FORMULA, khop:K, formula:ALGEBRA, a file of an automaton or command:PROGRAM");
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

}}  // namespace logdepth::library_requests
