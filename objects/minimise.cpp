#include <limits>
#include <utility>

#include "objects/automaton.hpp"

namespace logdepth::inline objects {

namespace {

constexpr State none = std::numeric_limits<State>::max();

/// The states reached from the initial one, renumbered in breadth-first order, letters in index
/// order; this order depends on the automaton only up to renaming of states.
Dfa breadth_first(const Dfa& dfa) {
  const std::size_t letters = dfa.alphabet.size();
  std::vector<State> number(dfa.states(), none);
  std::vector<State> order{dfa.initial};
  number[dfa.initial] = 0;
  Dfa result;
  result.alphabet = dfa.alphabet;
  for (std::size_t current = 0; current < order.size(); ++current) {
    const State state = order[current];
    result.accepting.push_back(dfa.accepting[state]);
    for (Letter letter = 0; letter < letters; ++letter) {
      const State target = dfa.step(state, letter);
      if (number[target] == none) {
        number[target] = static_cast<State>(order.size());
        order.push_back(target);
      }
      result.next.push_back(number[target]);
    }
  }
  return result;
}

/// A partition of the states into classes, each a segment of `order`; marked states are moved to
/// the front of their segment, so a split costs only the states that were marked.
class Partition {
 public:
  explicit Partition(std::size_t states) : order_(states), place_(states), class_(states, 0) {
    for (State q = 0; q < states; ++q) order_[q] = place_[q] = q;
    begin_ = {0};
    end_ = {states};
    marked_ = {0};
  }

  std::size_t classes() const { return begin_.size(); }
  State class_of(State state) const { return class_[state]; }
  std::size_t size(State c) const { return end_[c] - begin_[c]; }
  std::vector<State> members(State c) const {
    return {order_.begin() + static_cast<std::ptrdiff_t>(begin_[c]),
            order_.begin() + static_cast<std::ptrdiff_t>(end_[c])};
  }

  void mark(State state) {
    const State c = class_[state];
    const std::size_t boundary = begin_[c] + marked_[c];
    if (place_[state] < boundary) return;
    if (marked_[c] == 0) touched_.push_back(c);
    const State other = order_[boundary];
    std::swap(order_[boundary], order_[place_[state]]);
    std::swap(place_[other], place_[state]);
    ++marked_[c];
  }

  /// Splits every touched class into marked and unmarked; `on_split(old class, new class)`.
  template <typename OnSplit>
  void split(OnSplit on_split) {
    for (const State c : touched_) {
      const std::size_t count = std::exchange(marked_[c], 0);
      if (count == size(c)) continue;
      const State fresh = static_cast<State>(classes());
      begin_.push_back(begin_[c]);
      end_.push_back(begin_[c] + count);
      marked_.push_back(0);
      begin_[c] += count;
      for (std::size_t i = begin_[fresh]; i < end_[fresh]; ++i) class_[order_[i]] = fresh;
      on_split(c, fresh);
    }
    touched_.clear();
  }

 private:
  std::vector<State> order_;
  std::vector<std::size_t> place_;
  std::vector<State> class_;
  std::vector<std::size_t> begin_, end_, marked_;
  std::vector<State> touched_;
};

/// Hopcroft's refinement: the coarsest partition that separates accepting states and is respected
/// by every letter.
Partition refine(const Dfa& dfa) {
  const std::size_t letters = dfa.alphabet.size();
  const std::size_t states = dfa.states();

  // Predecessors: those of state q under letter a are before[first[cell]..first[cell+1]) with
  // cell = q * letters + a.
  std::vector<std::size_t> first(states * letters + 1, 0);
  for (std::size_t i = 0; i < dfa.next.size(); ++i)
    ++first[dfa.next[i] * letters + i % letters + 1];
  for (std::size_t i = 0; i + 1 < first.size(); ++i) first[i + 1] += first[i];
  std::vector<State> before(dfa.next.size());
  std::vector<std::size_t> fill(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < dfa.next.size(); ++i) {
    before[fill[dfa.next[i] * letters + i % letters]++] = static_cast<State>(i / letters);
  }

  Partition partition(states);
  std::vector<std::pair<State, Letter>> splitters;
  std::vector<bool> waiting;  // class * letters + letter
  const auto enqueue = [&](State c, Letter letter) {
    waiting.resize(partition.classes() * letters, false);
    if (waiting[c * letters + letter]) return;
    waiting[c * letters + letter] = true;
    splitters.emplace_back(c, letter);
  };
  const auto on_split = [&](State old, State fresh) {
    waiting.resize(partition.classes() * letters, false);
    const State smaller = partition.size(fresh) <= partition.size(old) ? fresh : old;
    for (Letter letter = 0; letter < letters; ++letter) {
      enqueue(waiting[old * letters + letter] ? fresh : smaller, letter);
    }
  };

  for (State q = 0; q < states; ++q) {
    if (dfa.accepting[q]) partition.mark(q);
  }
  partition.split(on_split);
  while (!splitters.empty()) {
    const auto [c, letter] = splitters.back();
    splitters.pop_back();
    waiting[c * letters + letter] = false;
    for (const State q : partition.members(c)) {
      const std::size_t cell = q * letters + letter;
      for (std::size_t i = first[cell]; i < first[cell + 1]; ++i) partition.mark(before[i]);
    }
    partition.split(on_split);
  }
  return partition;
}

}  // namespace

Dfa minimise(const Dfa& dfa) {
  const Dfa reached = breadth_first(dfa);
  const std::size_t letters = reached.alphabet.size();
  const Partition partition = refine(reached);
  Dfa quotient;
  quotient.alphabet = reached.alphabet;
  quotient.initial = partition.class_of(reached.initial);
  quotient.accepting.resize(partition.classes());
  quotient.next.resize(partition.classes() * letters);
  for (State q = 0; q < reached.states(); ++q) {
    const State c = partition.class_of(q);
    quotient.accepting[c] = reached.accepting[q];
    for (Letter letter = 0; letter < letters; ++letter) {
      quotient.next[c * letters + letter] = partition.class_of(reached.step(q, letter));
    }
  }
  return breadth_first(quotient);
}

}  // namespace logdepth::inline objects
