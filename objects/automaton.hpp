#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace logdepth::inline objects {

using Letter = std::uint32_t;  ///< index into an Alphabet
using State = std::uint32_t;   ///< 0-based state (or point of an action)
using Word = std::vector<Letter>;

/// The letters a user types, in index order; names are non-empty, without white space, distinct.
class Alphabet {
 public:
  Alphabet() = default;
  /// Errors: InputError when a name is empty, holds white space or is repeated.
  explicit Alphabet(std::vector<std::string> names);

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::string& name(Letter letter) const { return names_.at(letter); }
  std::optional<Letter> find(std::string_view name) const;
  /// True when every name is a single character (one UTF-8 code point), so words may run together.
  bool single_characters() const;
  /// Letters run together ("abba") when all names are single characters, else separated by white
  /// space; white space is always skipped; empty text is the empty word.
  /// Errors: InputError naming the unknown letter, its position and the alphabet.
  Word parse_word(std::string_view text) const;
  /// Names separated by white space, whatever their length ("a b a").
  Word parse_tokens(std::string_view text) const;
  /// The inverse of parse_word.
  std::string format_word(const Word& word) const;

  bool operator==(const Alphabet& other) const { return names_ == other.names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, Letter> index_;
};

/// Complete deterministic finite automaton. next[q * alphabet.size() + a] is the state after letter
/// a in state q. Every state is numbered below `states()`.
struct Dfa {
  Alphabet alphabet;
  State initial = 0;
  std::vector<bool> accepting;  ///< one entry per state
  std::vector<State> next;

  std::size_t states() const { return accepting.size(); }
  State step(State state, Letter letter) const { return next[state * alphabet.size() + letter]; }
};

/// Nondeterministic finite automaton with epsilon arcs (letter absent).
struct Nfa {
  struct Arc {
    State from = 0;
    std::optional<Letter> letter;
    State to = 0;
  };
  Alphabet alphabet;
  std::vector<State> initial;
  std::vector<bool> accepting;
  std::vector<Arc> arcs;
  std::vector<std::string> names = {};  ///< of the states, as a file calls them; empty without one
  /// What somebody should know who gave the file: where its reader chose between two meanings, or
  /// did not use a part. Each names the file.
  std::vector<std::string> notes = {};
  std::string looks_like = {};  ///< another kind of machine, "a Mealy machine"; empty for none

  std::size_t states() const { return accepting.size(); }
};

/// Subset construction from the initial states; the result is complete (the empty subset is a sink
/// where it is reachable) and holds reachable states only, numbered in breadth-first order.
/// Errors: SizeLimit when more than `max_states` states would be reached.
Dfa determinise(const Nfa& nfa, std::size_t max_states = 1u << 20);

/// The minimal complete automaton of the same language (Hopcroft), states numbered in breadth-first
/// order from the initial state, letters in index order: a canonical form, so two automata accept
/// the same language over the same alphabet iff their minimal forms are equal.
Dfa minimise(const Dfa& dfa);

/// What the states of a complete automaton of the same language are called: by the names of those
/// that `nfa` may be in there, "p" or "p|q", in its order, "no state" where it is in none. Empty
/// where `nfa` has no names, and where they have more than `most_characters` together.
std::vector<std::string> state_names(
    const Nfa& nfa, const Dfa& dfa,
    std::size_t most_characters = std::numeric_limits<std::size_t>::max());

}  // namespace logdepth::inline objects
