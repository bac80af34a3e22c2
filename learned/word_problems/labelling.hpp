#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "learned/word_problems/monoid_table.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline learned_word_problems {

/// What a network answers with after every letter: of a monoid the elements, which letters change by products
/// from the right, of an automaton its states.
struct Labelling {
  std::string name;
  std::uint32_t letters = 0, start = 0, labels = 0;
  std::vector<std::uint32_t> next = {};   ///< [states, letters]
  std::vector<std::uint32_t> label = {};  ///< of every state
  /// In place of `next` and `label`: labels after every letter, of a language without states.
  std::function<std::vector<std::uint32_t>(std::span<const std::uint32_t>)> of_word = {};

  std::uint32_t step(std::uint32_t state, std::uint32_t letter) const {
    return next[std::size_t{state} * letters + letter];
  }
  /// The labels after every letter of a word.
  std::vector<std::uint32_t> after(std::span<const std::uint32_t> word) const {
    if (of_word) return of_word(word);
    std::vector<std::uint32_t> found;
    std::uint32_t state = start;
    for (const std::uint32_t one : word) {
      state = step(state, one);
      found.push_back(label[state]);
    }
    return found;
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
