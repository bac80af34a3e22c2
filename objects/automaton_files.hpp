#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth { inline namespace objects {

/// Readers of automaton files. `source` names the file in messages; `text` is its content.
/// All of them accept nondeterministic automata. Errors: InputError with file, line and
/// expectation.

/// AT&T/OpenFst text acceptor: lines `from to label [weight]` and `final [weight]`; the first state
/// named is initial. Labels are letter names, or numbers translated by `symbols` (the text of an
/// OpenFst symbols file, label and number per line); `<eps>` (or label 0 with symbols) is epsilon.
/// An arc with two equal labels (`from to a a`) is accepted too. `symbols_source` names the file of
/// the symbols in messages.
Nfa read_fst(const std::string& text, const std::string& source,
             const std::optional<std::string>& symbols = std::nullopt,
             const std::string& symbols_source = "");

/// Graphviz DOT digraph: a node of shape doublecircle (or with attribute accepting=true or
/// is_final=True) accepts; the initial state is the target of an edge from an invisible node (shape
/// point, none or plaintext, or a node named `start`, `init`, `__start`, ...), or a node with
/// initial=true or is_start=True. Edge labels are letters, several separated by commas, but not
/// inside brackets that follow a name; `eps`, `epsilon` or an empty label is epsilon. In a `digraph
/// FST`, as fstdraw writes it, the bold state is initial and labels are `a:a/weight`.
Nfa read_dot(const std::string& text, const std::string& source);

/// JFLAP 7 `.jff` finite automaton; an empty <read/> is epsilon, and so are the Greek letters that
/// JFLAP shows for it. A word in <read> is its letters one after the other.
Nfa read_jff(const std::string& text, const std::string& source);

/// The text format of the library Mata, one section `@NFA-explicit`: lines `state letter state`,
/// `%Initial` and `%Final` with names of states, `%Alphabet-enum` and `%States-enum` with all
/// letters and states, `%Epsilon` with letters that are epsilon. Without a state in `%Initial` the
/// language is empty.
Nfa read_mata(const std::string& text, const std::string& source);

/// The dictionary of Python's libraries (automata-lib's DFA and NFA) as JSON: `states`,
/// `input_symbols` in the order of the letters, `transitions`, where a letter leads to a state or
/// to a list of states and "" is epsilon, `initial_state`, `final_states`. Names are strings or
/// whole numbers.
Nfa read_automaton_json(const std::string& text, const std::string& source);

/// A file of any of these formats, recognised by its content as `convert` and `compile` check it, whatever it is
/// called; what is recognised as nothing else is read as OpenFst.
Nfa read_automaton(const std::string& text, const std::string& source);

/// Writers: the reader of the format reads the same language over the same letters (in byte order
/// where the format does not list them), the same arcs, and states of the same names, with these
/// exceptions. OpenFst's states are numbers. Where a format has one initial state (OpenFst, JFLAP,
/// the dictionary), no or several become one, from which epsilon arcs lead to them. Mata knows no
/// epsilon: the arcs that it stands before begin at its source instead. A letter on no arc leads to
/// a state without a way out where the format does not list the letters (OpenFst, DOT, JFLAP).
/// Errors: InputError naming what the format cannot say.
std::string write_fst(const Nfa& nfa);
std::string write_dot(const Nfa& nfa);
std::string write_jff(const Nfa& nfa);
std::string write_mata(const Nfa& nfa);
std::string write_automaton_json(const Nfa& nfa);

/// A deterministic automaton for the writers, its states without names.
Nfa nfa_of(const Dfa& dfa);

/// The text of the automaton in the format that the path ends in: .fst, .dot, .jff, .mata, .json.
/// Errors: InputError naming the path, also when it ends in none of them.
std::string write_automaton(const Nfa& nfa, const std::string& path);

/// Digits only; how many does not matter.
bool is_natural(std::string_view text);

/// Of an automaton file; as many states as `determinise` reaches.
inline constexpr std::size_t kMostFileStates = std::size_t{1} << 20;
inline constexpr std::size_t kMostFileArcs = std::size_t{1} << 22;
/// Errors: SizeLimit when a file has this many arcs and another one.
void require_room_for_arc(std::size_t arcs);
/// Errors: InputError naming the file, for names that are no letters.
Alphabet alphabet_of_file(std::vector<std::string> names, const std::string& source);

/// What the readers of automaton files share: states and letters arrive by name, in any order, and
/// become dense indices here, so a file with a state number of four thousand million costs no more
/// than its lines.
class AutomatonBuilder {
 public:
  /// Errors: SizeLimit for one state more than the limit.
  State state(const std::string& name);
  /// What people call it, where that is not the name it arrives by.
  void call(State state, const std::string& name) { nfa_.names[state] = name; }
  void set_initial(State state) { nfa_.initial.push_back(state); }
  void set_accepting(State state) { nfa_.accepting[state] = true; }
  bool has_initial() const { return !nfa_.initial.empty(); }
  std::size_t initial_states() const { return nfa_.initial.size(); }
  bool has_accepting() const;
  /// Keeps a note for whoever gave the file; a second one of the same words is dropped.
  void note(const std::string& sentence);
  void looks_like(const std::string& machine) { nfa_.looks_like = machine; }
  /// An absent letter is epsilon. Errors: SizeLimit for one arc more than the limit.
  void arc(State from, std::optional<std::string> letter, State to);

  /// Letters of the given alphabet, which holds all that occur, or else those that occur: in byte
  /// order, numbers by value. Errors: InputError when there is no letter or a name is no letter.
  Nfa finish(const std::string& source, std::optional<Alphabet> alphabet = std::nullopt) &&;

 private:
  Nfa nfa_;
  std::unordered_map<std::string, State> states_;
  std::unordered_map<std::string, std::size_t> letters_;
  std::vector<std::string> letter_names_;
};

/// What the writers of automaton files share: the names of states, and what has to be said
/// otherwise in formats that lack a word for it.

/// The names of the automaton's states where each is a plain name and none occurs twice; else q0,
/// q1, ...
std::vector<std::string> names_to_write(const Nfa& nfa);

/// The same language from one initial state: a new one, from which epsilon arcs lead to the old
/// ones, where there are none or several.
Nfa with_one_initial_state(Nfa nfa);

/// Every letter on an arc: those that are on none lead from an initial state, of which there is at
/// least one, to a new state without a way out.
Nfa with_every_letter_on_an_arc(Nfa nfa);

/// Without epsilon: a state has the arcs of all states that epsilon leads to, and accepts where one
/// of them does. Errors: SizeLimit for more than two million arcs.
Nfa without_epsilon(const Nfa& nfa);

}}  // namespace logdepth::objects
