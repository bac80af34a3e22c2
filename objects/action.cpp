#include "objects/action.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace logdepth::inline objects {

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

using Arcs = std::vector<std::vector<State>>;  ///< [q]: where one step leads from q

/// One search after the other, each as long as what it reaches.
class PointSearch {
 public:
  explicit PointSearch(const Arcs& arcs) : arcs_(arcs), round_of_(arcs.size(), 0) {}

  /// In the order of the search.
  std::vector<State> from(State start) {
    ++round_;
    std::vector<State> reached;
    const auto reach = [&](State q) {
      if (std::exchange(round_of_[q], round_) != round_) reached.push_back(q);
    };
    reach(start);
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const State next : arcs_[reached[i]]) reach(next);
    return reached;
  }
  /// Whether the last search reached it.
  bool reached(State q) const { return round_of_[q] == round_; }

 private:
  const Arcs& arcs_;
  std::vector<State> round_of_;
  State round_ = 0;
};

}  // namespace

bool ReachablePoints::find(const Action& action, std::size_t most_visits) {
  list_of_.resize(action.points);
  Arcs forwards(action.points), backwards(action.points);
  for (const Transformation& generator : action.generators)
    for (State q = 0; q < action.points; ++q) {
      forwards[q].push_back(generator[q]);
      backwards[generator[q]].push_back(q);
    }
  PointSearch ahead(forwards), back(backwards);
  std::vector<bool> listed(action.points, false);
  std::size_t visits = 0;
  for (State q = 0; q < action.points; ++q) {
    if (listed[q]) continue;
    std::vector<State> list = ahead.from(q);
    const std::vector<State> to = back.from(q);
    visits += list.size() + to.size();
    if (visits > most_visits) return false;
    for (const State r : to)
      if (ahead.reached(r)) {
        list_of_[r] = lists_.size();
        listed[r] = true;
      }
    std::sort(list.begin(), list.end());
    lists_.push_back(std::move(list));
  }
  return true;
}

ReachablePoints::ReachablePoints(const Action& action) {
  find(action, std::numeric_limits<std::size_t>::max());
}

std::optional<ReachablePoints> ReachablePoints::of_at_most(const Action& action, std::size_t most) {
  // A search from one point of each list meets a pair once ahead and once back, and itself twice.
  ReachablePoints points;
  if (points.find(action, 2 * (most + action.points))) return points;
  return std::nullopt;
}

}  // namespace logdepth::inline objects
