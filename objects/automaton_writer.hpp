#pragma once

#include <string>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth::inline objects {

/// What the writers of automaton files share: the names of states, and what has to be said
/// otherwise in formats that lack a word for it.

/// Whether a file can hold it as the name of a state: not empty, UTF-8, no control characters.
bool is_state_name(const std::string& name);

/// The names of the automaton's states where each is such a name and none occurs twice; else q0,
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

}  // namespace logdepth::inline objects
