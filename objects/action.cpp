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

Dfa to_minimal_dfa(const Action& action, std::size_t max_states) {
  const std::size_t letters = action.alphabet.size();
  Dfa dfa;
  dfa.alphabet = action.alphabet;
  if (action.initial) {
    dfa.initial = *action.initial;
    dfa.accepting = action.accepting;
    for (State q = 0; q < action.points; ++q) {
      for (Letter letter = 0; letter < letters; ++letter) {
        dfa.next.push_back(action.generators[letter][q]);
      }
    }
    return minimise(dfa);
  }
  const auto monoid = enumerate_monoid(action.generators, action.points, max_states);
  if (!monoid) {
    throw SizeLimit(
        fmt::format("the automaton of this word problem needs a state for each product, more than "
                    "{} of them; work with the action on {} points instead, or try a smaller group",
                    max_states, action.points));
  }
  dfa.accepting.assign(monoid->size(), false);
  dfa.accepting[0] = true;
  for (const auto& row : monoid->right) dfa.next.insert(dfa.next.end(), row.begin(), row.end());
  return minimise(dfa);
}

}  // namespace logdepth
