#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "learned/word_problems/monoid_table.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline learned_word_problems {

/// What letters do to what a network answers with: of a monoid the elements and products with a letter
/// from the right, of an automaton its states.
struct Labelling {
  std::string name;
  std::uint32_t letters = 0, start = 0, labels = 0;
  std::vector<std::uint32_t> next = {};   ///< [states, letters]
  std::vector<std::uint32_t> label = {};  ///< of every state

  std::uint32_t step(std::uint32_t state, std::uint32_t letter) const {
    return next[std::size_t{state} * letters + letter];
  }
};

inline Labelling labelling_of(const MonoidTable& table) {
  Labelling moves{table.name, static_cast<std::uint32_t>(table.letters.size()), table.identity,
                  static_cast<std::uint32_t>(table.size)};
  for (std::uint32_t state = 0; state < table.size; ++state) {
    for (const std::uint32_t letter : table.letters)
      moves.next.push_back(table.times(state, letter));
    moves.label.push_back(state);
  }
  return moves;
}

/// `verdicts`: labelled by acceptance, in place of states.
inline Labelling labelling_of(const Dfa& automaton, const std::string& name, bool verdicts) {
  Labelling moves{name, static_cast<std::uint32_t>(automaton.alphabet.size()), automaton.initial,
                  verdicts ? 2 : static_cast<std::uint32_t>(automaton.states())};
  moves.next = automaton.next;
  for (std::uint32_t state = 0; state < automaton.states(); ++state)
    moves.label.push_back(verdicts ? automaton.accepting[state] : state);
  return moves;
}

}  // namespace logdepth::inline learned_word_problems
