// Actions of letters on points beside automata, and what products reach.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

#include "objects/action.hpp"
#include "objects/named_monoids.hpp"
#include "objects/transition_monoid.hpp"

namespace logdepth::action_tests {
namespace {

Action random_action(std::size_t most_points) {
  Action action;
  action.points = *rc::gen::inRange<std::size_t>(1, most_points + 1);
  const auto letters = *rc::gen::inRange<std::size_t>(1, 4);
  std::vector<std::string> names;
  for (std::size_t a = 0; a < letters; ++a) {
    names.push_back(std::string(1, static_cast<char>('a' + a)));
    action.generators.push_back(*rc::gen::container<Transformation>(
        action.points, rc::gen::inRange<State>(0, static_cast<State>(action.points))));
  }
  action.alphabet = Alphabet(names);
  return action;
}

RC_GTEST_PROP(ReachablePoints, AreTheImagesUnderAllProducts, ()) {
  const Action action = random_action(5);
  const auto monoid = enumerate_monoid(action.generators, action.points, 3125);
  RC_ASSERT(monoid.has_value());
  const ReachablePoints reachable(action);
  RC_ASSERT(reachable.points() == action.points);
  for (State q = 0; q < action.points; ++q) {
    std::set<State> images;
    for (const Transformation& product : monoid->elements) images.insert(product[q]);
    RC_ASSERT(reachable[q] == std::vector<State>(images.begin(), images.end()));
  }
}

RC_GTEST_PROP(ReachablePoints, ThatReachOneAnotherShareAList, ()) {
  const Action action = random_action(12);
  const ReachablePoints reachable(action);
  std::set<std::vector<State>> different;
  for (State q = 0; q < action.points; ++q) different.insert(reachable[q]);
  // Points with equal lists lie in them, so they reach one another.
  RC_ASSERT(reachable.lists().size() == different.size());
}

RC_GTEST_PROP(ReachablePoints, AreThereWhereTheirPairsAreWithinTheBound, ()) {
  const Action action = random_action(12);
  const ReachablePoints all(action);
  std::size_t pairs = 0;
  for (State q = 0; q < all.points(); ++q) pairs += all[q].size() - 1;
  const auto most = *rc::gen::inRange<std::size_t>(0, pairs + 2);
  const auto bounded = ReachablePoints::of_at_most(action, most);
  RC_ASSERT(bounded.has_value() || pairs > most);
  if (bounded) RC_ASSERT(bounded->lists() == all.lists());
}

RC_GTEST_PROP(Actions, OfAnAutomatonAreItsSteps, ()) {
  Action action = random_action(9);
  action.initial = *rc::gen::inRange<State>(0, static_cast<State>(action.points));
  action.accepting =
      *rc::gen::container<std::vector<bool>>(action.points, rc::gen::arbitrary<bool>());
  const Dfa dfa = to_dfa(action);
  const Action again = to_action(dfa);
  RC_ASSERT(again.generators == action.generators);
  RC_ASSERT(again.initial == action.initial);
  RC_ASSERT(again.accepting == action.accepting);
  RC_ASSERT(dfa.alphabet.names() == action.alphabet.names());
}

RC_GTEST_PROP(AutomataOfProducts, AcceptTheWordsWhoseProductIsTheIdentity, ()) {
  const Action action = named_monoid(*rc::gen::element<std::string>("S3", "Z6", "A4", "flipflop"));
  const auto monoid = enumerate_monoid(action.generators, action.points, 100);
  RC_ASSERT(monoid.has_value());
  const Dfa dfa = automaton_of_products(*monoid, action.alphabet);
  State state = dfa.initial;
  Transformation product = identity_transformation(action.points);
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    const auto letter = *rc::gen::inRange<Letter>(0, static_cast<Letter>(action.alphabet.size()));
    state = dfa.step(state, letter);
    product = compose(product, action.generators[letter]);
    RC_ASSERT(dfa.accepting[state] == action.accepts(product));
  }
}

}  // namespace
}  // namespace logdepth::action_tests
