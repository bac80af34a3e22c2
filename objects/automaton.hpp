#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace logdepth { inline namespace objects {

using Letter = std::uint32_t;  ///< index into an Alphabet
using State = std::uint32_t;   ///< 0-based state (or point of an action)
using Word = std::vector<Letter>;

/// The letters a user types, in index order; names are non-empty, without white space, distinct.
class Alphabet {
 public:
  Alphabet() = default;
  /// Errors: InputError when a name is empty, holds white space or is repeated.
  explicit Alphabet(std::vector<std::string> names);
  /// Of letters that somebody types or another program writes: none of them holds white space beyond ASCII
  /// or a character without a width. Errors: as above, for those too.
  static Alphabet of_input(std::vector<std::string> names);

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
  Word parse(std::string_view text, bool single) const;

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

/// A map of the points {0..n-1} to themselves, as the list of images.
using Transformation = std::vector<State>;

Transformation identity_transformation(std::size_t points);
/// First letter first: apply `first`, then `second`; the image of q is second[first[q]].
Transformation compose(const Transformation& first, const Transformation& second);
/// "[1,0,2]": the list of images, the notation of `run --prefixes` and `info --json`.
std::string format_transformation(const Transformation& transformation);

/// Letters acting on points: what a regular-language construction compiles. A word is accepted when
/// its product maps `initial` into `accepting` (an automaton), or, when `initial` is absent, when
/// its product is the identity (a word problem).
struct Action {
  Alphabet alphabet;
  std::size_t points = 0;
  std::vector<Transformation> generators;  ///< one per letter
  std::optional<State> initial;
  std::vector<bool> accepting;  ///< per point; empty when `initial` is absent

  bool accepts(const Transformation& product) const;
};

/// For every point those that products of letters send it to, in increasing order. Points that reach
/// one another share a list: of thousands that all do there is one.
class ReachablePoints {
 public:
  ReachablePoints() = default;
  explicit ReachablePoints(const Action& action);
  /// Nothing where more than `most` pairs of points, the second another that the first is sent to,
  /// are among them; found out by visiting about so many.
  static std::optional<ReachablePoints> of_at_most(const Action& action, std::size_t most);
  std::size_t points() const { return list_of_.size(); }
  const std::vector<State>& operator[](State point) const { return lists_[list_of_[point]]; }
  const std::vector<std::vector<State>>& lists() const { return lists_; }
  std::size_t list_of(State point) const { return list_of_[point]; }

 private:
  bool find(const Action& action, std::size_t most_visits);
  std::vector<std::vector<State>> lists_;
  std::vector<std::size_t> list_of_;
};

/// The action of the letters on the states of a complete automaton.
Action to_action(const Dfa& dfa);
/// The other way round. Precondition: the action has an initial point.
Dfa to_dfa(const Action& action);

}}  // namespace logdepth::objects
