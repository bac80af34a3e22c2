#include <set>
#include <utility>

#include "base/phrases.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline objects {

std::vector<std::string> state_names(const Nfa& nfa, const Dfa& dfa, std::size_t most_characters) {
  if (nfa.names.empty()) return {};
  std::vector<std::vector<const Nfa::Arc*>> arcs(nfa.states());
  for (const Nfa::Arc& arc : nfa.arcs) arcs[arc.from].push_back(&arc);
  // States of both that some word leads to.
  std::set<std::pair<State, State>> met;
  std::vector<std::pair<State, State>> waiting;
  std::size_t characters = 0;
  const auto meet = [&](State given, State state) {
    if (!met.emplace(given, state).second) return;
    waiting.emplace_back(given, state);
    characters += nfa.names[given].size();
  };
  for (const State state : nfa.initial) meet(state, dfa.initial);
  while (!waiting.empty()) {
    if (characters > most_characters) return {};
    const auto [given, state] = waiting.back();
    waiting.pop_back();
    for (const Nfa::Arc* arc : arcs[given])
      meet(arc->to, arc->letter ? dfa.step(state, *arc->letter) : state);
  }
  std::vector<std::vector<std::string>> names(dfa.states());
  for (const auto& [given, state] : met) names[state].push_back(nfa.names[given]);
  std::vector<std::string> result;
  for (const auto& list : names) result.push_back(list.empty() ? "no state" : joined(list, "|"));
  return result;
}

}  // namespace logdepth::inline objects
