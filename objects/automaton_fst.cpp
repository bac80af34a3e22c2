#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/shell_word.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"
#include "objects/automaton_reader.hpp"
#include "objects/automaton_writer.hpp"
#include "objects/label_dialects.hpp"
#include "objects/text_format.hpp"
#include "objects/text_place.hpp"

namespace logdepth::inline objects {

namespace {

constexpr std::string_view epsilon = "<eps>";

/// Numbers are compared as text without leading zeros: they may be larger than any integer type.
std::string canonical_number(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of('0'), text.size() - 1);
  return std::string(text.substr(begin));
}

/// A weight as OpenFst prints it; infinity is the absent arc or the state that does not accept.
std::optional<double> parse_weight(std::string_view text) {
  const std::string copy(text);
  if (copy == "Infinity") return HUGE_VAL;
  if (copy.find_first_not_of("0123456789+-.eE") != std::string::npos) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
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
    (void)Alphabet({std::string(label)});
  } catch (const InputError& error) {
    throw error_at(text, source, label, error.what());
  }
}

Symbols read_symbols(const std::string& text, const std::string& source) {
  Symbols symbols;
  std::vector<std::pair<std::string, std::string>> letters;  // number, name
  for_each_line(text, source, [&](const TextPlace& place, const auto& fields) {
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
  try {
    symbols.alphabet = Alphabet(std::move(names));
  } catch (const InputError& error) {
    throw InputError(source + ": " + error.what());
  }
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
    for_each_line(text, source_, [&](const TextPlace& place, const auto& fields) {
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

}  // namespace logdepth::inline objects
