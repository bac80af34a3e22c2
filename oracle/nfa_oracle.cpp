#include <algorithm>
#include <utility>

#include "oracle/explored_automaton.hpp"
#include "oracle/language_oracle.hpp"

namespace logdepth::inline oracle {

namespace {

/// The set of states the automaton may be in, as one flag per state, moved letter by letter.
class NfaOracle : public LanguageOracle {
 public:
  NfaOracle(Nfa nfa, std::string name) : nfa_(std::move(nfa)), name_(std::move(name)) {
    leaving_.resize(nfa_.states());
    for (const Nfa::Arc& arc : nfa_.arcs) leaving_[arc.from].push_back(arc);
  }

  const Alphabet& alphabet() const override { return nfa_.alphabet; }
  std::string name() const override { return name_; }

  bool accepts(const Word& word) const override {
    std::vector<State> current = follow_epsilon(nfa_.initial);
    for (const Letter letter : word) current = moved(current, letter);
    return accepts_in(current);
  }

  std::optional<Dfa> minimal_automaton() const override {
    const auto sorted = [](std::vector<State> states) {
      std::sort(states.begin(), states.end());
      return states;
    };
    return explored_automaton(
        nfa_.alphabet, sorted(follow_epsilon(nfa_.initial)),
        [&](const std::vector<State>& states, Letter letter) {
          return sorted(moved(states, letter));
        },
        [&](const std::vector<State>& states) { return accepts_in(states); });
  }

 private:
  std::vector<State> moved(const std::vector<State>& from, Letter letter) const {
    std::vector<State> to;
    for (const State state : from) {
      for (const Nfa::Arc& arc : leaving_[state]) {
        if (arc.letter == letter) to.push_back(arc.to);
      }
    }
    return follow_epsilon(to);
  }
  bool accepts_in(const std::vector<State>& states) const {
    return std::any_of(states.begin(), states.end(),
                       [&](State state) { return nfa_.accepting[state]; });
  }

  std::vector<State> follow_epsilon(const std::vector<State>& from) const {
    std::vector<bool> inside(nfa_.states(), false);
    std::vector<State> reached;
    const auto add = [&](State state) {
      if (inside[state]) return;
      inside[state] = true;
      reached.push_back(state);
    };
    for (const State state : from) add(state);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const Nfa::Arc& arc : leaving_[reached[i]]) {
        if (!arc.letter) add(arc.to);
      }
    }
    return reached;
  }

  Nfa nfa_;
  std::string name_;
  std::vector<std::vector<Nfa::Arc>> leaving_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_nfa_oracle(Nfa nfa, std::string name) {
  return std::make_unique<NfaOracle>(std::move(nfa), std::move(name));
}

}  // namespace logdepth::inline oracle
