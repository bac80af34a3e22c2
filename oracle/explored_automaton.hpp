#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "objects/automaton.hpp"

namespace logdepth::inline oracle {

/// More configurations of an oracle are not explored.
inline constexpr std::size_t kMostConfigurations = 8192;

/// States that no word tells apart made one (Moore's rounds). Precondition: all are reachable.
Dfa merged_states(const Dfa& dfa);

/// The minimal automaton of a machine that reads letter by letter: it is in `start` first and, after
/// `configuration`, in step(configuration, letter). Configurations need an order.
template <class Configuration, class Step, class Accepts>
std::optional<Dfa> explored_automaton(const Alphabet& alphabet, const Configuration& start,
                                      const Step& step, const Accepts& accepts) {
  Dfa dfa;
  dfa.alphabet = alphabet;
  std::map<Configuration, State> numbers = {{start, 0}};
  std::vector<Configuration> reached = {start};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (i == kMostConfigurations) return std::nullopt;
    dfa.accepting.push_back(accepts(reached[i]));
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      Configuration next = step(reached[i], letter);
      const auto [known, is_new] = numbers.try_emplace(next, static_cast<State>(reached.size()));
      dfa.next.push_back(known->second);
      if (is_new) reached.push_back(std::move(next));
    }
  }
  return merged_states(dfa);
}

}  // namespace logdepth::inline oracle
