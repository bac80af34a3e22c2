#include "oracle/explored_automaton.hpp"

namespace logdepth::inline oracle {

Dfa merged_states(const Dfa& dfa) {
  // In every round a class is what its states say themselves and the classes that they lead to.
  std::vector<State> of(dfa.accepting.begin(), dfa.accepting.end());
  std::size_t classes = 0;
  while (true) {
    std::map<std::vector<State>, State> numbers;
    std::vector<State> finer;
    for (State q = 0; q < dfa.states(); ++q) {
      std::vector<State> seen = {of[q]};
      for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter)
        seen.push_back(of[dfa.step(q, letter)]);
      finer.push_back(
          numbers.try_emplace(std::move(seen), static_cast<State>(numbers.size())).first->second);
    }
    of = std::move(finer);
    if (numbers.size() == classes) break;
    classes = numbers.size();
  }
  Dfa merged;
  merged.alphabet = dfa.alphabet;
  merged.initial = of[dfa.initial];
  merged.accepting.resize(classes);
  merged.next.resize(classes * dfa.alphabet.size());
  for (State q = 0; q < dfa.states(); ++q) {
    merged.accepting[of[q]] = dfa.accepting[q];
    for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter)
      merged.next[of[q] * dfa.alphabet.size() + letter] = of[dfa.step(q, letter)];
  }
  return merged;
}

}  // namespace logdepth::inline oracle
