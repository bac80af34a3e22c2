#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "objects/named_monoids.hpp"

/// Automata given by what their letters do to the states.
namespace logdepth::support {

inline Dfa automaton_of_maps(const std::vector<Transformation>& letters, State initial = 0) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < letters.size(); ++i) names.push_back("x" + std::to_string(i));
  Dfa dfa;
  dfa.alphabet = Alphabet(names);
  dfa.initial = initial;
  dfa.accepting.assign(letters.front().size(), false);
  for (State q = 0; q < dfa.states(); ++q)
    for (const Transformation& letter : letters) dfa.next.push_back(letter[q]);
  return dfa;
}

/// The points of a named group or monoid are the states.
inline Dfa automaton_named(const std::string& name) {
  return automaton_of_maps(named_monoid(name).generators);
}

enum class KindOfMaps { any, permutations, monotone, sparse };
inline constexpr std::size_t kKindsOfMaps = 4;

/// Unreachable states, equal letters and the identity occur among them.
inline Dfa random_automaton_of(std::mt19937_64& random, KindOfMaps kind, std::size_t states,
                               std::size_t letters) {
  std::vector<Transformation> maps(letters, identity_transformation(states));
  for (Transformation& map : maps) {
    if (kind == KindOfMaps::permutations) {
      std::shuffle(map.begin(), map.end(), random);
      continue;
    }
    for (State& image : map)
      if (kind != KindOfMaps::sparse || random() % 3 == 0)
        image = static_cast<State>(random() % states);
    if (kind == KindOfMaps::monotone) std::sort(map.begin(), map.end());
  }
  return automaton_of_maps(maps, static_cast<State>(random() % states));
}

/// The sentence with which something is too large, or "accepted".
inline std::string limit_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const SizeLimit& limit) {
    return limit.what();
  }
  return "accepted";
}

}  // namespace logdepth::support
