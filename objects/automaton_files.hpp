#pragma once

#include <optional>
#include <string>

#include "objects/automaton.hpp"

namespace logdepth {

/// Readers of automaton files. `source` names the file in messages; `text` is its content.
/// All of them accept nondeterministic automata. Errors: InputError with file, line and
/// expectation.

/// AT&T/OpenFst text acceptor: lines `from to label [weight]` and `final [weight]`; the first state
/// named is initial. Labels are letter names, or numbers translated by `symbols` (the text of an
/// OpenFst symbols file, label and number per line); `<eps>` (or label 0 with symbols) is epsilon.
/// An arc with two equal labels (`from to a a`) is accepted too.
Nfa read_fst(const std::string& text, const std::string& source,
             const std::optional<std::string>& symbols = std::nullopt);

/// Graphviz DOT digraph: a node of shape doublecircle (or with attribute accepting=true) accepts;
/// the initial state is the target of an edge from an invisible node (shape point, none or
/// plaintext, or a node named `start`, `init`, `__start`, ...), or a node with initial=true. Edge
/// labels are letters, several separated by commas; `eps` or an empty label is epsilon.
Nfa read_dot(const std::string& text, const std::string& source);

/// JFLAP 7 `.jff` finite automaton; an empty <read/> is epsilon.
Nfa read_jff(const std::string& text, const std::string& source);

/// Writers: read_fst(write_fst(d)) and read_dot(write_dot(d)) accept the same language.
std::string write_fst(const Dfa& dfa);
std::string write_dot(const Dfa& dfa);

}  // namespace logdepth
