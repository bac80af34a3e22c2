#include "objects/automaton_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/text_format.hpp"

namespace logdepth { inline namespace objects {

bool is_natural(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void require_room_for_arc(std::size_t arcs) {
  if (arcs < kMostFileArcs) return;
  throw SizeLimit(
      fmt::format("the automaton has more than {} arcs, the limit; try a smaller one", arcs));
}

Alphabet alphabet_of_file(std::vector<std::string> names, const std::string& source) {
  try {
    return Alphabet::of_input(std::move(names));
  } catch (const InputError& error) {
    throw InputError(source + ": " + error.what());
  }
}

State AutomatonBuilder::state(const std::string& name) {
  const auto [entry, is_new] = states_.emplace(name, static_cast<State>(nfa_.states()));
  if (is_new) {
    if (nfa_.states() == kMostFileStates)
      throw SizeLimit(
          fmt::format("the automaton has more than {} states, the limit; try a "
                      "smaller one",
                      kMostFileStates));
    nfa_.accepting.push_back(false);
    nfa_.names.push_back(name);
  }
  return entry->second;
}

bool AutomatonBuilder::has_accepting() const {
  return std::ranges::find(nfa_.accepting, true) != nfa_.accepting.end();
}

void AutomatonBuilder::note(const std::string& sentence) {
  if (std::ranges::find(nfa_.notes, sentence) == nfa_.notes.end()) nfa_.notes.push_back(sentence);
}

void AutomatonBuilder::arc(State from, std::optional<std::string> letter, State to) {
  require_room_for_arc(nfa_.arcs.size());
  if (!letter) {
    nfa_.arcs.push_back({from, std::nullopt, to});
    return;
  }
  const auto [entry, is_new] = letters_.emplace(*letter, letter_names_.size());
  if (is_new) letter_names_.push_back(*letter);
  nfa_.arcs.push_back({from, static_cast<Letter>(entry->second), to});
}

Nfa AutomatonBuilder::finish(const std::string& source, std::optional<Alphabet> alphabet) && {
  if (!alphabet) {
    std::vector<std::string> names = letter_names_;
    if (std::all_of(names.begin(), names.end(), is_natural)) {
      std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
      });
    } else {
      std::sort(names.begin(), names.end());
    }
    alphabet = alphabet_of_file(std::move(names), source);
  }
  if (alphabet->size() == 0) {
    throw InputError(source + ": no letter occurs; expected at least one arc with a letter");
  }
  std::vector<Letter> renamed;
  for (const std::string& name : letter_names_) renamed.push_back(alphabet->find(name).value());
  for (Nfa::Arc& arc : nfa_.arcs) {
    if (arc.letter) arc.letter = renamed[*arc.letter];
  }
  nfa_.alphabet = std::move(*alphabet);
  return std::move(nfa_);
}

Nfa read_automaton(const std::string& text, const std::string& source) {
  switch (recognised(text).value_or(TextFormat::fst)) {
    case TextFormat::jflap:
    case TextFormat::other_xml:
      return read_jff(text, source);
    case TextFormat::dot:
      return read_dot(text, source);
    case TextFormat::mata:
      return read_mata(text, source);
    case TextFormat::automaton_dictionary:
    case TextFormat::other_json:
      return read_automaton_json(text, source);
    default:
      return read_fst(text, source);
  }
}

namespace {

using AutomatonWriter = std::string (*)(const Nfa&);
constexpr std::array<std::pair<std::string_view, AutomatonWriter>, 5> kAutomatonWriters = {{
    {".fst", write_fst},
    {".dot", write_dot},
    {".jff", write_jff},
    {".mata", write_mata},
    {".json", write_automaton_json},
}};

/// A new state, called `name` where states have names and none has this one.
State add_state(Nfa& nfa, std::string name) {
  const auto added = static_cast<State>(nfa.states());
  nfa.accepting.push_back(false);
  if (!nfa.names.empty()) {
    while (std::find(nfa.names.begin(), nfa.names.end(), name) != nfa.names.end()) name += '_';
    nfa.names.push_back(std::move(name));
  }
  return added;
}

}  // namespace

std::vector<std::string> names_to_write(const Nfa& nfa) {
  const std::unordered_set<std::string> distinct(nfa.names.begin(), nfa.names.end());
  if (distinct.size() == nfa.states() &&
      std::all_of(distinct.begin(), distinct.end(), is_plain_name))
    return nfa.names;
  std::vector<std::string> names;
  for (State q = 0; q < nfa.states(); ++q) names.push_back(fmt::format("q{}", q));
  return names;
}

Nfa with_one_initial_state(Nfa nfa) {
  std::sort(nfa.initial.begin(), nfa.initial.end());
  nfa.initial.erase(std::unique(nfa.initial.begin(), nfa.initial.end()), nfa.initial.end());
  if (nfa.initial.size() == 1) return nfa;
  const State before = add_state(nfa, "before");
  for (const State initial : nfa.initial) nfa.arcs.push_back({before, std::nullopt, initial});
  nfa.initial = {before};
  return nfa;
}

Nfa with_every_letter_on_an_arc(Nfa nfa) {
  std::vector<bool> used(nfa.alphabet.size());
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter) used[*arc.letter] = true;
  }
  if (std::find(used.begin(), used.end(), false) == used.end()) return nfa;
  const State nowhere = add_state(nfa, "no state");
  for (Letter letter = 0; letter < used.size(); ++letter) {
    if (!used[letter]) nfa.arcs.push_back({nfa.initial.front(), letter, nowhere});
  }
  return nfa;
}

Nfa without_epsilon(const Nfa& nfa) {
  constexpr std::size_t max_arcs = 2000000;
  std::vector<std::vector<State>> epsilon_to(nfa.states());
  std::vector<std::vector<Nfa::Arc>> leaving(nfa.states());
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter) {
      leaving[arc.from].push_back(arc);
    } else {
      epsilon_to[arc.from].push_back(arc.to);
    }
  }
  Nfa result = nfa;
  result.arcs.clear();
  for (State q = 0; q < nfa.states(); ++q) {
    std::vector<State> reached = {q};
    std::unordered_set<State> known = {q};
    std::set<std::pair<Letter, State>> arcs;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (nfa.accepting[reached[i]]) result.accepting[q] = true;
      for (const Nfa::Arc& arc : leaving[reached[i]]) arcs.emplace(*arc.letter, arc.to);
      for (const State next : epsilon_to[reached[i]]) {
        if (known.insert(next).second) reached.push_back(next);
      }
    }
    for (const auto& [letter, to] : arcs) result.arcs.push_back({q, letter, to});
    if (result.arcs.size() > max_arcs) {
      throw SizeLimit(
          fmt::format("without epsilon the automaton has more than {} arcs, the limit; try its "
                      "minimal form",
                      max_arcs));
    }
  }
  return result;
}

Nfa nfa_of(const Dfa& dfa) {
  Nfa nfa;
  nfa.alphabet = dfa.alphabet;
  nfa.initial = {dfa.initial};
  nfa.accepting = dfa.accepting;
  for (State q = 0; q < dfa.states(); ++q) {
    for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
      nfa.arcs.push_back({q, letter, dfa.step(q, letter)});
    }
  }
  return nfa;
}

std::string write_automaton(const Nfa& nfa, const std::string& path) {
  for (const auto& [ending, write] : kAutomatonWriters) {
    if (!path.ends_with(ending)) continue;
    try {
      return write(nfa);
    } catch (const InputError& error) {
      throw InputError(path + ": " + error.what());
    }
  }
  throw InputError(path + ": expected a name that ends in .fst, .dot, .jff, .mata or .json");
}

namespace {

constexpr std::string_view epsilon = "<eps>";

/// Numbers are compared as text without leading zeros: they may be larger than any integer type.
std::string canonical_number(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of('0'), text.size() - 1);
  return std::string(text.substr(begin));
}

/// A weight as OpenFst prints it; infinity is the absent arc or the state that does not accept.
std::optional<double> parse_weight(std::string_view text) {
  return text == "Infinity" ? HUGE_VAL : finite_number(text);
}

/// An OpenFst symbols file: a name and a number on each line.
struct Symbols {
  std::unordered_map<std::string, std::string> name_of_number;
  std::unordered_map<std::string, std::string> number_of_name;
  Alphabet alphabet;  ///< without epsilon, by number

  bool is_epsilon(const std::string& name) const {
    return is_epsilon_symbol(name) || number_of_name.at(name) == "0";
  }
};

/// Refuses what stands for no letter, or for one that cannot be here.
void require_letter(std::string_view label, const std::string& text, const std::string& source) {
  if (const auto special = special_symbol(label))
    throw error_at(text, source, label,
                   "expected a letter, found " + in_quotes(label) + ", a symbol for " + *special);
  try {
    (void)Alphabet::of_input({std::string(label)});
  } catch (const InputError& error) {
    throw error_at(text, source, label, error.what());
  }
}

Symbols read_symbols(const std::string& text, const std::string& source) {
  Symbols symbols;
  std::vector<std::pair<std::string, std::string>> letters;  // number, name
  for_each_row(text, source, [&](const TextPlace& place, const auto& fields) {
    if (fields.empty()) return;
    if (fields.size() != 2 || !is_natural(fields[1]))
      throw place.error(fields[fields.size() == 2 ? 1 : 0],
                        "expected a symbol and its number, found " + in_quotes(place.text));
    const std::string name(fields[0]);
    const std::string number = canonical_number(fields[1]);
    if (!symbols.name_of_number.emplace(number, name).second ||
        !symbols.number_of_name.emplace(name, number).second) {
      throw place.error(fields[0], "symbol " + in_quotes(name) + " or its number " + number +
                                       " occurs twice; expected each once");
    }
    if (symbols.is_epsilon(name)) return;
    require_letter(fields[0], text, source);
    letters.emplace_back(number, name);
  });
  std::sort(letters.begin(), letters.end(), [](const auto& a, const auto& b) {
    return std::make_pair(a.first.size(), a.first) < std::make_pair(b.first.size(), b.first);
  });
  std::vector<std::string> names;
  for (auto& letter : letters) names.push_back(std::move(letter.second));
  symbols.alphabet = alphabet_of_file(std::move(names), source);
  return symbols;
}

struct ArcLine {
  State from = 0;
  std::string_view label;  ///< a part of the text
  State to = 0;
};

/// One pass over the lines; labels are left as they stand, because whether they are names or
/// numbers depends on all of them.
class FstReader {
 public:
  explicit FstReader(const std::string& source) : source_(source) {}

  void read(const std::string& text) {
    for_each_row(text, source_, [&](const TextPlace& place, const auto& fields) {
      place_ = place;
      if (!fields.empty()) read_line(fields);
    });
    if (!builder.has_initial()) {
      throw InputError(source_, 1, "the file is empty; expected arcs: from to label [weight]");
    }
  }

  AutomatonBuilder builder;
  std::vector<ArcLine> arcs;
  bool has_weights = false;  ///< others than one and zero of the usual semiring

 private:
  void read_line(const std::vector<std::string_view>& fields) {
    if (fields.size() > 5)
      throw place_.error(
          fields[5],
          "expected 'from to label [weight]' or 'final [weight]', found " + in_quotes(place_.text));
    const State from = state(fields[0]);
    if (!builder.has_initial()) builder.set_initial(from);
    if (fields.size() <= 2) {
      if (fields.size() == 1 || weight(fields[1]) != HUGE_VAL) builder.set_accepting(from);
      return;
    }
    const State to = state(fields[1]);
    // The optional fields: a second label, equal to the first, and a weight.
    bool absent = false;
    if (fields.size() == 5) {
      check_equal_labels(fields[2], fields[3]);
      absent = weight(fields[4]) == HUGE_VAL;
    } else if (fields.size() == 4 && fields[3] != fields[2]) {
      if (!parse_weight(fields[3])) check_equal_labels(fields[2], fields[3]);
      absent = weight(fields[3]) == HUGE_VAL;
    }
    require_room_for_arc(arcs.size());
    if (absent) {
      builder.note(source_ + ": arcs of weight Infinity are left out, no path takes them");
      return;
    }
    arcs.push_back({from, fields[2], to});
  }

  State state(std::string_view field) {
    if (!is_natural(field)) {
      throw place_.error(field, "expected a state number, found " + in_quotes(field));
    }
    return builder.state(canonical_number(field));
  }

  double weight(std::string_view field) {
    const std::optional<double> value = parse_weight(field);
    if (!value) throw place_.error(field, "expected a weight, found " + in_quotes(field));
    has_weights = has_weights || (*value != 0 && *value != HUGE_VAL);
    return *value;
  }

  void check_equal_labels(std::string_view input, std::string_view output) const {
    if (input == output) return;
    throw place_.error(output, "expected an acceptor: a weight or a second label equal to " +
                                   in_quotes(input) + ", found " + in_quotes(output));
  }

  const std::string& source_;
  TextPlace place_;  ///< the present line
};

/// The name that a label stands for, absent for epsilon.
std::optional<std::string> translate(std::string_view label, const Symbols& symbols, bool by_name,
                                     const std::string& text, const std::string& source) {
  if (is_epsilon_symbol(label)) return std::nullopt;
  std::string name(label);
  if (by_name && symbols.number_of_name.count(name) > 0) {
    if (symbols.is_epsilon(name)) return std::nullopt;
    return name;
  }
  if (is_natural(label)) {
    const std::string number = canonical_number(label);
    if (number == "0") return std::nullopt;
    const auto entry = symbols.name_of_number.find(number);
    if (!by_name && entry != symbols.name_of_number.end()) {
      if (symbols.is_epsilon(entry->second)) return std::nullopt;
      return entry->second;
    }
  }
  throw error_at(text, source, label,
                 "label " + in_quotes(label) + " is not in the symbols file; expected " +
                     (by_name ? "a symbol" : "a number of a symbol"));
}

bool is_negative(std::string_view label) {
  return label.starts_with('-') && is_natural(label.substr(1));
}

/// In text of k2, arcs into the one final state have the label -1.
void require_no_final_arc(std::string_view label, const std::string& text,
                          const std::string& source) {
  if (!is_negative(label)) return;
  const std::string k2 =
      label == "-1"
          ? ", the label of arcs into the final state in k2; 'awk \"NF == 1 {next} \\$3 == -1 "
            "{print \\$1; next} {print}\" " +
                shell_word(printable(source)) + "' converts it"
          : "";
  throw error_at(text, source, label,
                 "expected a letter, found the negative label " + in_quotes(label) + k2);
}

/// Without symbols 0 is a letter like other numbers, which OpenFst and k2 read as epsilon.
void note_zero(FstReader& reader, const std::string& source) {
  bool zero = false;
  for (const ArcLine& arc : reader.arcs) {
    if (!is_natural(arc.label)) return;
    zero = zero || canonical_number(arc.label) == "0";
  }
  if (zero)
    reader.builder.note(source + ": the label 0 is read as a letter; with --symbols it is epsilon");
}

/// The names of the states where all are numbers, else their indices.
std::vector<std::string> numbers_of_states(const Nfa& nfa) {
  std::vector<std::string> names = names_to_write(nfa);
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return is_natural(name) && canonical_number(name) == name;
  });
  if (numbers) return names;
  for (std::size_t q = 0; q < names.size(); ++q) names[q] = std::to_string(q);
  return names;
}

}  // namespace

Nfa read_fst(const std::string& text, const std::string& source,
             const std::optional<std::string>& symbols_text, const std::string& symbols_source) {
  require_automaton_format(text, source, TextFormat::fst);
  FstReader reader(source);
  reader.read(text);
  for (const ArcLine& arc : reader.arcs) require_no_final_arc(arc.label, text, source);
  if (reader.has_weights)
    reader.builder.note(source +
                        ": the weights are not used: a word is accepted if some path spells it");
  if (!symbols_text) {
    note_zero(reader, source);
    for (ArcLine& arc : reader.arcs) {
      std::optional<std::string> letter;
      if (!is_epsilon_symbol(arc.label)) {
        require_letter(arc.label, text, source);
        if (is_epsilon_word(arc.label))
          reader.builder.note(source + ": the label " + in_quotes(arc.label) +
                              " is read as a letter; epsilon is <eps>");
        letter = std::string(arc.label);
      }
      reader.builder.arc(arc.from, std::move(letter), arc.to);
    }
    return std::move(reader.builder).finish(source);
  }
  const Symbols symbols =
      read_symbols(*symbols_text, symbols_source.empty() ? "symbols of " + source : symbols_source);
  // Labels are names as soon as one of them can only be a name; a file where every label could be
  // either (symbols called 0 and 1) is read by name, as fstcompile does.
  const bool by_number =
      std::all_of(reader.arcs.begin(), reader.arcs.end(),
                  [](const ArcLine& arc) {
                    return is_epsilon_symbol(arc.label) || is_natural(arc.label);
                  }) &&
      std::any_of(reader.arcs.begin(), reader.arcs.end(), [&](const ArcLine& arc) {
        return is_natural(arc.label) && arc.label != "0" &&
               symbols.number_of_name.count(std::string(arc.label)) == 0;
      });
  for (const ArcLine& arc : reader.arcs) {
    reader.builder.arc(arc.from, translate(arc.label, symbols, !by_number, text, source), arc.to);
  }
  return std::move(reader.builder).finish(source, symbols.alphabet);
}

std::string write_fst(const Nfa& given) {
  for (const std::string& letter : given.alphabet.names()) {
    if (is_epsilon_symbol(letter) || special_symbol(letter) || is_negative(letter))
      throw InputError("the letter " + in_quotes(letter) +
                       " cannot be written: an OpenFst file reads it as " +
                       (is_epsilon_symbol(letter) ? "epsilon" : "no letter"));
  }
  const Nfa nfa = with_every_letter_on_an_arc(with_one_initial_state(given));
  const std::vector<std::string> names = numbers_of_states(nfa);
  std::vector<std::string> lines(nfa.states());
  for (const Nfa::Arc& arc : nfa.arcs) {
    lines[arc.from] += fmt::format("{}\t{}\t{}\n", names[arc.from], names[arc.to],
                                   arc.letter ? nfa.alphabet.name(*arc.letter) : epsilon);
  }
  std::string text;
  // The first state named is the initial one. A state without a line of its own has one that says
  // that it does not accept.
  for (std::size_t i = 0; i < nfa.states(); ++i) {
    const auto q = (i + nfa.initial.front()) % nfa.states();
    text += lines[q];
    if (nfa.accepting[q]) {
      text += names[q] + "\n";
    } else if (lines[q].empty()) {
      text += names[q] + "\tInfinity\n";
    }
  }
  return text;
}

}}  // namespace logdepth::objects
