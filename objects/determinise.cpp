#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "logdepth/errors.hpp"
#include "objects/automaton.hpp"

namespace logdepth::inline objects {

namespace {

using Subset = std::vector<State>;

/// What one run may hold in subsets and table entries together, of 4 bytes each; what is made of
/// the table afterwards holds several times as much.
constexpr std::size_t memory_limit = std::size_t{1} << 25;

struct SubsetHash {
  std::size_t operator()(const Subset& subset) const {
    std::size_t hash = subset.size();
    for (const State state : subset) {
      hash ^= state + 0x9E3779B97F4A7C15u + (hash << 6) + (hash >> 2);
    }
    return hash;
  }
};

/// The arcs of one kind (epsilon, or lettered) grouped by source state.
struct ArcTable {
  std::vector<std::size_t> first;                   ///< one more than states
  std::vector<std::pair<Letter, State>> letter_to;  ///< sorted by source
};

ArcTable group_arcs(const Nfa& nfa, bool epsilon) {
  ArcTable table;
  table.first.assign(nfa.states() + 1, 0);
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter.has_value() != epsilon) ++table.first[arc.from + 1];
  }
  for (std::size_t q = 0; q < nfa.states(); ++q) table.first[q + 1] += table.first[q];
  table.letter_to.resize(table.first.back());
  std::vector<std::size_t> fill(table.first.begin(), table.first.end() - 1);
  for (const Nfa::Arc& arc : nfa.arcs) {
    if (arc.letter.has_value() == epsilon) continue;
    table.letter_to[fill[arc.from]++] = {arc.letter.value_or(0), arc.to};
  }
  return table;
}

/// Closes sets of states under epsilon arcs. A closed set keeps only the states that can tell two
/// sets apart, those that accept or have a lettered arc; Thompson automata are mostly the others.
class Closure {
 public:
  explicit Closure(const Nfa& nfa, const ArcTable& lettered)
      : epsilon_(group_arcs(nfa, true)), seen_(nfa.states(), 0) {
    matters_.resize(nfa.states());
    for (std::size_t q = 0; q < nfa.states(); ++q) {
      matters_[q] = nfa.accepting[q] || lettered.first[q] != lettered.first[q + 1];
    }
  }

  Subset of(const Subset& states) {
    ++round_;
    Subset result;
    stack_.clear();
    for (const State state : states) visit(state);
    while (!stack_.empty()) {
      const State state = stack_.back();
      stack_.pop_back();
      if (matters_[state]) result.push_back(state);
      for (std::size_t i = epsilon_.first[state]; i < epsilon_.first[state + 1]; ++i) {
        visit(epsilon_.letter_to[i].second);
      }
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  void visit(State state) {
    if (seen_[state] == round_) return;
    seen_[state] = round_;
    stack_.push_back(state);
  }

  ArcTable epsilon_;
  std::vector<bool> matters_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t round_ = 0;
  std::vector<State> stack_;
};

}  // namespace

Dfa determinise(const Nfa& nfa, std::size_t max_states) {
  const std::size_t letters = nfa.alphabet.size();
  const ArcTable lettered = group_arcs(nfa, false);
  Closure closure(nfa, lettered);

  Dfa dfa;
  dfa.alphabet = nfa.alphabet;
  std::unordered_map<Subset, State, SubsetHash> numbers;
  std::vector<const Subset*> subsets;  // keys of `numbers`, whose addresses are stable
  std::size_t memory = 0;

  const auto number_of = [&](Subset subset) {
    const auto [entry, is_new] =
        numbers.emplace(std::move(subset), static_cast<State>(subsets.size()));
    if (is_new) {
      memory += entry->first.size() + letters;
      if (memory > memory_limit)
        throw SizeLimit(fmt::format(
            "the deterministic automaton has more than {} states, whose sets and arcs are more "
            "than {} numbers, the limit (the nondeterministic one has {} states); try fewer "
            "letters, or an automaton nearer to a deterministic one",
            subsets.size(), memory_limit, nfa.states()));
      if (subsets.size() >= max_states) {
        throw SizeLimit(fmt::format(
            "the deterministic automaton has more than {} states (the nondeterministic one has {}, "
            "the limit is {}); try an expression with smaller repeats or fewer alternatives",
            subsets.size(), nfa.states(), max_states));
      }
      subsets.push_back(&entry->first);
      dfa.accepting.push_back(std::any_of(entry->first.begin(), entry->first.end(),
                                          [&](State q) { return nfa.accepting[q]; }));
    }
    return entry->second;
  };

  dfa.initial = number_of(closure.of(nfa.initial));
  std::vector<Subset> targets(letters);
  for (std::size_t current = 0; current < subsets.size(); ++current) {
    for (Subset& target : targets) target.clear();
    for (const State state : *subsets[current]) {
      for (std::size_t i = lettered.first[state]; i < lettered.first[state + 1]; ++i) {
        targets[lettered.letter_to[i].first].push_back(lettered.letter_to[i].second);
      }
    }
    for (const Subset& target : targets) dfa.next.push_back(number_of(closure.of(target)));
  }
  return dfa;
}

}  // namespace logdepth::inline objects
