#include "objects/automaton_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/utf8.hpp"
#include "logdepth/errors.hpp"
#include "objects/automaton_files.hpp"

namespace logdepth::inline objects {

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

bool is_state_name(const std::string& name) {
  for (std::size_t position = 0; position < name.size();) {
    const std::size_t length = utf8_length(std::string_view(name).substr(position));
    const auto lead = static_cast<unsigned char>(name[position]);
    if (length == 0 || lead < 0x20 || lead == 0x7F) return false;
    position += length;
  }
  return !name.empty();
}

std::vector<std::string> names_to_write(const Nfa& nfa) {
  const std::unordered_set<std::string> distinct(nfa.names.begin(), nfa.names.end());
  if (distinct.size() == nfa.states() &&
      std::all_of(distinct.begin(), distinct.end(), is_state_name))
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

}  // namespace logdepth::inline objects
