#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "objects/automaton.hpp"

/// Inputs that the tests of regular expressions, automaton files and monoids draw from.
namespace logdepth::cases {

/// RapidCheck's default seed is the clock; a fixed one makes a failure repeat. RC_PARAMS wins.
inline const bool seed_is_fixed = [] {
  setenv("RC_PARAMS", "seed=20261121 max_success=1000", 0);
  std::cout << "RC_PARAMS=" << std::getenv("RC_PARAMS") << std::endl;
  return true;
}();

/// Every word of at most this many letters, shorter words first.
inline std::vector<Word> all_words(std::size_t letters, std::size_t longest) {
  std::vector<Word> words{{}};
  for (std::size_t first = 0, length = 1; length <= longest; ++length) {
    const std::size_t end = words.size();
    for (; first < end; ++first) {
      for (Letter letter = 0; letter < letters; ++letter) {
        words.push_back(words[first]);
        words.back().push_back(letter);
      }
    }
  }
  return words;
}

inline bool accepts(const Dfa& dfa, const Word& word) {
  State state = dfa.initial;
  for (const Letter letter : word) state = dfa.step(state, letter);
  return dfa.accepting[state];
}

inline bool same_form(const Dfa& left, const Dfa& right) {
  return left.alphabet == right.alphabet && left.initial == right.initial &&
         left.accepting == right.accepting && left.next == right.next;
}

inline int draw(int low, int high) {
  return *rc::gen::resize(100, rc::gen::inRange(low, high));
}

/// A random expression over the first `letters` of abc; every operand of a postfix operator is in
/// brackets, so that other dialects read it alike.
inline std::string draw_regex(int depth, int letters, bool with_complement) {
  const int choice = depth == 0 ? draw(0, 3) : draw(0, with_complement ? 14 : 12);
  const auto sub = [&] { return draw_regex(depth - 1, letters, with_complement); };
  const std::string letter(1, static_cast<char>('a' + draw(0, letters)));
  switch (choice) {
    case 0:
    case 1:
      return letter;
    case 2:
      return draw(0, 3) == 0 ? "." : draw(0, 2) == 0 ? "[^" + letter + "]" : letter;
    case 3:
    case 4:
    case 5:
      return sub() + sub();
    case 6:
    case 7:
      return "(" + sub() + "|" + sub() + ")";
    case 8:
      return "(" + sub() + ")*";
    case 9:
      return "(" + sub() + ")+";
    case 10:
      return "(" + sub() + ")?";
    case 11:
      return "(" + sub() + ")" + (draw(0, 2) == 0 ? "{2}" : draw(0, 2) == 0 ? "{1,2}" : "{1,}");
    case 12:
      return "(!(" + sub() + "))";
    default:
      return "(" + sub() + "&" + sub() + ")";
  }
}

/// A random automaton with epsilon arcs; one initial state when `single_initial`.
inline Nfa draw_nfa(const Alphabet& alphabet, bool single_initial) {
  Nfa nfa;
  nfa.alphabet = alphabet;
  const int states = draw(1, 8);
  for (int q = 0; q < states; ++q) nfa.accepting.push_back(draw(0, 3) == 0);
  nfa.initial.push_back(static_cast<State>(draw(0, states)));
  if (!single_initial && draw(0, 2) == 0)
    nfa.initial.push_back(static_cast<State>(draw(0, states)));
  const int arcs = draw(0, 3 * states);
  for (int i = 0; i < arcs; ++i) {
    Nfa::Arc arc;
    arc.from = static_cast<State>(draw(0, states));
    arc.to = static_cast<State>(draw(0, states));
    const int letter = draw(-1, static_cast<int>(alphabet.size()));
    if (letter >= 0) arc.letter = static_cast<Letter>(letter);
    nfa.arcs.push_back(arc);
  }
  return nfa;
}

inline std::string shown(const Nfa& nfa) {
  std::ostringstream text;
  text << "initial";
  for (const State q : nfa.initial) text << ' ' << q;
  text << ", accepting";
  for (std::size_t q = 0; q < nfa.states(); ++q) {
    if (nfa.accepting[q]) text << ' ' << q;
  }
  for (const Nfa::Arc& arc : nfa.arcs) {
    text << ", " << arc.from << '-' << (arc.letter ? nfa.alphabet.name(*arc.letter) : "<eps>")
         << "->" << arc.to;
  }
  return text.str();
}

}  // namespace logdepth::cases
