#include <fmt/core.h>

#include <map>
#include <unordered_map>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/regex.hpp"

namespace logdepth::inline objects {

namespace {

/// Arcs of one automaton; repeats of repeats multiply, so this is where they stop.
constexpr std::size_t max_arcs = 2000000;
constexpr std::size_t max_states = std::size_t{1} << 20;

class Thompson {
 public:
  explicit Thompson(const Alphabet& alphabet) { nfa_.alphabet = alphabet; }

  Nfa of(const Regex& regex) && {
    const Piece whole = build(regex);
    nfa_.initial = {whole.in};
    nfa_.accepting[whole.out] = true;
    return std::move(nfa_);
  }

 private:
  struct Piece {
    State in;
    State out;
  };

  State fresh() {
    nfa_.accepting.push_back(false);
    return static_cast<State>(nfa_.accepting.size() - 1);
  }

  void arc(State from, std::optional<Letter> letter, State to) {
    if (nfa_.arcs.size() == max_arcs) {
      throw SizeLimit(
          fmt::format("the automaton of the regular expression has more than {} arcs, the limit; "
                      "try smaller repeats",
                      max_arcs));
    }
    nfa_.arcs.push_back({from, letter, to});
  }

  Piece build(const Regex& regex) {
    const Piece piece{fresh(), fresh()};
    switch (regex.kind) {
      case Regex::Kind::empty_set:
        break;
      case Regex::Kind::empty_word:
        arc(piece.in, std::nullopt, piece.out);
        break;
      case Regex::Kind::letters:
        for (Letter letter = 0; letter < regex.letters.size(); ++letter) {
          if (regex.letters[letter]) arc(piece.in, letter, piece.out);
        }
        break;
      case Regex::Kind::concatenation: {
        State end = piece.in;
        for (const auto& part : regex.parts) {
          const Piece next = build(*part);
          arc(end, std::nullopt, next.in);
          end = next.out;
        }
        arc(end, std::nullopt, piece.out);
        break;
      }
      case Regex::Kind::alternation:
        for (const auto& part : regex.parts) {
          const Piece branch = build(*part);
          arc(piece.in, std::nullopt, branch.in);
          arc(branch.out, std::nullopt, piece.out);
        }
        break;
      case Regex::Kind::star: {
        const Piece body = build(*regex.parts.front());
        arc(piece.in, std::nullopt, body.in);
        arc(body.out, std::nullopt, piece.in);
        arc(piece.in, std::nullopt, piece.out);
        break;
      }
      case Regex::Kind::complement:
      case Regex::Kind::intersection:
        embed(deterministic(regex), piece);
        break;
    }
    return piece;
  }

  void embed(const Dfa& dfa, Piece piece) {
    const State offset = static_cast<State>(nfa_.states());
    nfa_.accepting.resize(nfa_.states() + dfa.states(), false);
    arc(piece.in, std::nullopt, offset + dfa.initial);
    for (State q = 0; q < dfa.states(); ++q) {
      if (dfa.accepting[q]) arc(offset + q, std::nullopt, piece.out);
      for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
        arc(offset + q, letter, offset + dfa.step(q, letter));
      }
    }
  }

  /// The minimal automaton of a part, remembered because repeats share their parts.
  const Dfa& deterministic(const Regex& regex) {
    const auto known = deterministic_.find(&regex);
    if (known != deterministic_.end()) return known->second;
    Dfa dfa;
    if (regex.kind == Regex::Kind::complement) {
      dfa = part(*regex.parts.front());
      dfa.accepting.flip();
    } else {
      dfa = part(*regex.parts.front());
      for (std::size_t i = 1; i < regex.parts.size(); ++i) {
        dfa = minimise(product(dfa, part(*regex.parts[i])));
      }
    }
    return deterministic_.emplace(&regex, minimise(dfa)).first->second;
  }

  Dfa part(const Regex& regex) {
    if (regex.kind == Regex::Kind::complement || regex.kind == Regex::Kind::intersection) {
      return deterministic(regex);
    }
    Thompson inner(nfa_.alphabet);
    return minimise(determinise(std::move(inner).of(regex), max_states));
  }

  static Dfa product(const Dfa& left, const Dfa& right) {
    Dfa result;
    result.alphabet = left.alphabet;
    std::unordered_map<std::uint64_t, State> numbers;
    std::vector<std::pair<State, State>> pairs;
    const auto number_of = [&](State l, State r) {
      const auto [entry, is_new] =
          numbers.emplace(std::uint64_t{l} << 32 | r, static_cast<State>(pairs.size()));
      if (is_new) {
        if (pairs.size() == max_states) {
          throw SizeLimit(
              fmt::format("the intersection of automata of {} and {} states has more than {} "
                          "states, the limit; try smaller operands",
                          left.states(), right.states(), max_states));
        }
        pairs.emplace_back(l, r);
        result.accepting.push_back(left.accepting[l] && right.accepting[r]);
      }
      return entry->second;
    };
    result.initial = number_of(left.initial, right.initial);
    for (std::size_t current = 0; current < pairs.size(); ++current) {
      const auto [l, r] = pairs[current];
      for (Letter letter = 0; letter < left.alphabet.size(); ++letter) {
        result.next.push_back(number_of(left.step(l, letter), right.step(r, letter)));
      }
    }
    return result;
  }

  Nfa nfa_;
  std::map<const Regex*, Dfa> deterministic_;
};

}  // namespace

Nfa to_nfa(const ParsedRegex& regex) {
  return Thompson(regex.alphabet).of(*regex.root);
}

}  // namespace logdepth::inline objects
