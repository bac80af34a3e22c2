#pragma once

#include <optional>
#include <string>

#include "objects/automaton.hpp"

namespace logdepth::inline objects {

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

/// The text format of the library Mata, one section. In `@NFA-bits` a transition has a formula of
/// bits, and letters are the values of all bits, "00", "01", ..., in the order of the bits' names;
/// of more than 256 letters those that no formula distinguishes are one, called by the first of
/// them. In `@NFA-explicit`: lines `state letter state`,
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

}  // namespace logdepth::inline objects
