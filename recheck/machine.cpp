#include "recheck/machine.hpp"

#include <algorithm>

#include "recheck/refusal.hpp"

namespace recheck {
namespace {

constexpr std::size_t kMostStates = 20000;

}  // namespace

long Counter::largest() const {
  long most = 0;
  for (const auto& [x, weight] : weights) most = std::max(most, weight);
  return most;
}

int Machine::counter(const Counter& wanted) {
  const auto known = std::find(counters.begin(), counters.end(), wanted);
  const auto number = known - counters.begin();
  if (known == counters.end()) counters.push_back(wanted);
  return static_cast<int>(number);
}

/// The class of a token of this kind after a state (none at the beginning), and the state after it.
int Machine::token(const State* before, int kind, State& after) {
  int own = kind;
  std::vector<int> owns;  // class before every stage
  for (Stage& stage : stages) {
    owns.push_back(own);
    std::vector<int> key = {own};
    for (const Selection& head : stage.heads) {
      std::vector<int> held;
      if (before != nullptr) held = (*before)[after.size()];
      if (head.kind == Selection::Kind::last) {
        need(before != nullptr || head.classes.contains(own),
             "<begin> is not selected by a head that looks for the last of some classes");
        if (head.classes.contains(own)) held = {own};
        key.push_back(held.front());
      } else if (head.kind == Selection::Kind::back) {
        if (before == nullptr) held.assign(static_cast<std::size_t>(head.back), own);
        held.push_back(own);
        key.push_back(held.front());
        held.erase(held.begin());
      } else {
        const Counter& counter = counters[static_cast<std::size_t>(head.counter)];
        const auto weight = counter.weights.find(owns[static_cast<std::size_t>(counter.stage)]);
        long count = 0;  // <begin> is not counted
        if (before != nullptr)
          count = held.front() + (weight == counter.weights.end() ? 0 : weight->second);
        held = {static_cast<int>(count % (2 * head.divisor))};
        key.push_back(static_cast<int>((held.front() + head.offset) / head.divisor % 2));
      }
      after.push_back(std::move(held));
    }
    own = stage.classes.emplace(key, static_cast<int>(stage.classes.size())).first->second;
  }
  return own;
}

void Machine::explore(int kinds) {
  states.clear(), next.clear(), classes.clear();
  std::map<State, int> numbers;
  const auto number = [&](const State& state) {
    const auto [at, fresh] = numbers.emplace(state, static_cast<int>(states.size()));
    if (fresh) states.push_back(state);
    need(states.size() <= kMostStates, "more than 20000 states of the heads");
    return at->second;
  };
  State state;
  classes.insert(begin_class = token(nullptr, 0, state));
  number(state);
  for (std::size_t i = 0; i < states.size(); ++i) {
    next.emplace_back();
    for (int kind = 1; kind < kinds; ++kind) {
      State after;
      const State before = states[i];
      const int own = token(&before, kind, after);
      classes.insert(own);
      next[i].emplace_back(own, number(after));
    }
  }
}

}  // namespace recheck
