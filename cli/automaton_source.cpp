#include "cli/automaton_source.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/named_monoids.hpp"
#include "objects/regex.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

/// The automaton over a given alphabet, which must contain every letter it uses.
Nfa over_alphabet(Nfa nfa, const Alphabet& alphabet, const std::string& source) {
  std::vector<Letter> translated;
  for (const std::string& name : nfa.alphabet.names()) {
    const auto letter = alphabet.find(name);
    if (!letter) throw InputError(source + ": letter '" + name + "' is not in the alphabet");
    translated.push_back(*letter);
  }
  for (Nfa::Arc& arc : nfa.arcs)
    if (arc.letter) arc.letter = translated[*arc.letter];
  nfa.alphabet = alphabet;
  return nfa;
}

/// Without those that only repeat our numbers, or that nobody would read.
std::vector<std::string> names_worth_saying(std::vector<std::string> names) {
  constexpr std::size_t kMostCharacters = 4000;
  bool numbers = true;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    numbers = numbers && names[i] == std::to_string(i);
    characters += names[i].size();
  }
  if (numbers || characters > kMostCharacters) names.clear();
  return names;
}

LoadedAutomaton load_language(std::string name, const Nfa& nfa,
                              std::unique_ptr<LanguageOracle> oracle) {
  LoadedAutomaton loaded;
  loaded.name = std::move(name);
  loaded.nfa_states = nfa.states();
  const Dfa dfa = determinise(nfa);
  loaded.dfa_states = dfa.states();
  loaded.minimal = minimise(dfa);
  loaded.state_names = names_worth_saying(state_names(nfa, *loaded.minimal));
  loaded.action = to_action(*loaded.minimal);
  loaded.oracle = std::move(oracle);
  return loaded;
}

LoadedAutomaton load_group(const AutomatonOptions& options) {
  LoadedAutomaton loaded;
  loaded.name = "group " + options.group;
  loaded.action = named_monoid(
      options.group, options.letters == "all" ? NamedLetters::all : NamedLetters::generators);
  try {
    loaded.minimal = to_minimal_dfa(loaded.action);
  } catch (const SizeLimit&) {
    // A large group is compiled through its points all the same.
  }
  loaded.oracle = make_action_oracle(loaded.action, loaded.name);
  return loaded;
}

}  // namespace

Alphabet parse_alphabet(const std::string& text) {
  std::vector<std::string> names;
  if (text.find(',') == std::string::npos) {
    for (std::size_t i = 0; i < text.size();) {  // one UTF-8 character after the other
      std::size_t length = 1;
      while (i + length < text.size() &&
             (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80)
        ++length;
      names.push_back(text.substr(i, length));
      i += length;
    }
    return Alphabet(names);
  }
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    names.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return Alphabet(names);
}

void AutomatonOptions::add_to(CLI::App& app) {
  auto* group_of_options = app.add_option_group("automaton", "one of these names the language");
  sources = {
      group_of_options->add_option("--regex", regex, "regular expression, as (a|b)*abb"),
      group_of_options->add_option("--fst", fst, "AT&T / OpenFst text acceptor"),
      group_of_options->add_option("--jff", jff, "JFLAP file"),
      group_of_options->add_option("--dot", dot, "Graphviz file, accepting states as doublecircle"),
      group_of_options->add_option("--group", group,
                                   "word problem of a named group or monoid: Z6, S3, A5, D4, Q8, "
                                   "flipflop, A4_x_Z5, ..."),
  };
  for (CLI::Option* option : sources)
    for (CLI::Option* other : sources)
      if (option != other) option->excludes(other);
  alphabet_option =
      app.add_option("--alphabet", alphabet, "letters in order: abc, or with commas open,close");
  symbols_option = app.add_option("--symbols", symbols, "OpenFst symbols file for --fst");
  letters_option =
      app.add_option("--letters", letters, "letters of --group: its generators, or all elements")
          ->check(CLI::IsMember({"generators", "all"}));
}

bool AutomatonOptions::given() const {
  return std::any_of(sources.begin(), sources.end(),
                     [](const CLI::Option* option) { return option->count() > 0; });
}

LoadedAutomaton load_automaton(const AutomatonOptions& options,
                               const std::vector<std::string>& letters) {
  if (!options.given())
    throw InputError("expected one of --regex, --fst, --jff, --dot, --group to name the language");
  const bool group = options.sources[4]->count() > 0;
  if (group && options.alphabet_option->count() > 0)
    throw InputError("--alphabet does not go with --group, whose letters are its generators");
  if (!group && options.letters_option->count() > 0)
    throw InputError("--letters goes with --group");
  if (options.symbols_option->count() > 0 && options.sources[1]->count() == 0)
    throw InputError("--symbols goes with --fst");
  if (group) return load_group(options);

  std::optional<Alphabet> alphabet;
  if (options.alphabet_option->count() > 0) {
    alphabet = parse_alphabet(options.alphabet);
  } else if (!letters.empty()) {
    alphabet = Alphabet(letters);
  }
  if (options.sources[0]->count() > 0) {
    ParsedRegex regex = parse_regex(options.regex, alphabet);
    Nfa nfa = to_nfa(regex);
    return load_language("regex " + options.regex, nfa, make_regex_oracle(std::move(regex)));
  }
  const auto file = [&](const char* kind, const std::string& path, auto read) {
    Nfa nfa = read(read_whole_file(path, std::size_t{256} << 20), path);
    if (alphabet) nfa = over_alphabet(std::move(nfa), *alphabet, path);
    const std::string name = std::string(kind) + " " + path.substr(path.find_last_of('/') + 1);
    auto oracle = make_nfa_oracle(nfa, name);
    return load_language(name, nfa, std::move(oracle));
  };
  if (!options.fst.empty()) {
    std::optional<std::string> symbols;
    if (!options.symbols.empty()) symbols = read_whole_file(options.symbols);
    return file("fst", options.fst, [&](const std::string& text, const std::string& path) {
      return read_fst(text, path, symbols);
    });
  }
  if (!options.jff.empty()) return file("jff", options.jff, read_jff);
  return file("dot", options.dot, read_dot);
}

std::string LoadedAutomaton::sizes() const {
  if (nfa_states)
    return fmt::format("{} states as given, {} deterministic, {} minimal", *nfa_states, *dfa_states,
                       minimal->states());
  return fmt::format("{} points, {}", action.points,
                     minimal ? fmt::format("{} minimal states", minimal->states())
                             : std::string("a minimal automaton of more than 100000 states"));
}

}  // namespace logdepth
