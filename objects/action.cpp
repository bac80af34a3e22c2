#include "objects/action.hpp"

#include <fmt/core.h>

#include <numeric>
#include <stdexcept>

#include "logdepth/errors.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth {

Transformation identity_transformation(std::size_t points) {
  Transformation identity(points);
  std::iota(identity.begin(), identity.end(), State{0});
  return identity;
}

Transformation compose(const Transformation& first, const Transformation& second) {
  if (first.size() != second.size()) {
    throw std::invalid_argument("compose: transformations of different degree");
  }
  Transformation product(first.size());
  for (std::size_t q = 0; q < first.size(); ++q) product[q] = second.at(first[q]);
  return product;
}

std::string format_transformation(const Transformation& transformation) {
  std::string text = "[";
  for (std::size_t q = 0; q < transformation.size(); ++q) {
    if (q > 0) text += ',';
    text += std::to_string(transformation[q]);
  }
  return text + "]";
}

bool Action::accepts(const Transformation& product) const {
  if (initial) return accepting.at(product.at(*initial));
  return product == identity_transformation(points);
}

Action to_action(const Dfa& dfa) {
  Action action;
  action.alphabet = dfa.alphabet;
  action.points = dfa.states();
  action.initial = dfa.initial;
  action.accepting = dfa.accepting;
  for (Letter letter = 0; letter < dfa.alphabet.size(); ++letter) {
    Transformation images(dfa.states());
    for (State q = 0; q < dfa.states(); ++q) images[q] = dfa.step(q, letter);
    action.generators.push_back(std::move(images));
  }
  return action;
}

Dfa to_dfa(const Action& action) {
  Dfa dfa{action.alphabet, *action.initial, action.accepting, {}};
  for (State q = 0; q < action.points; ++q)
    for (const Transformation& generator : action.generators) dfa.next.push_back(generator[q]);
  return dfa;
}

namespace {

/// arcs[q]: where one step leads from q.
std::vector<bool> reached_from(State start, const std::vector<std::vector<State>>& arcs) {
  std::vector<bool> reached(arcs.size(), false);
  std::vector<State> todo = {start};
  reached[start] = true;
  while (!todo.empty()) {
    const State at = todo.back();
    todo.pop_back();
    for (const State next : arcs[at])
      if (!reached[next]) {
        reached[next] = true;
        todo.push_back(next);
      }
  }
  return reached;
}

}  // namespace

ReachablePoints::ReachablePoints(const Action& action) : list_of_(action.points) {
  std::vector<std::vector<State>> forwards(action.points), backwards(action.points);
  for (const Transformation& generator : action.generators)
    for (State q = 0; q < action.points; ++q) {
      forwards[q].push_back(generator[q]);
      backwards[generator[q]].push_back(q);
    }
  std::vector<bool> listed(action.points, false);
  for (State q = 0; q < action.points; ++q) {
    if (listed[q]) continue;
    const std::vector<bool> from = reached_from(q, forwards), to = reached_from(q, backwards);
    std::vector<State> list;
    for (State r = 0; r < action.points; ++r) {
      if (from[r]) list.push_back(r);
      if (!from[r] || !to[r]) continue;
      list_of_[r] = lists_.size();
      listed[r] = true;
    }
    lists_.push_back(std::move(list));
  }
}

Dfa to_minimal_dfa(const Action& action, std::size_t max_states) {
  if (action.initial) return minimise(to_dfa(action));
  const auto monoid = enumerate_monoid(action.generators, action.points, max_states);
  if (!monoid) {
    throw SizeLimit(
        fmt::format("the automaton of this word problem needs a state for each product, more than "
                    "{} of them; work with the action on {} points instead, or try a smaller group",
                    max_states, action.points));
  }
  return minimise(automaton_of_products(*monoid, action.alphabet));
}

}  // namespace logdepth
