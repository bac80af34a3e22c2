#include "proofs-check/check/right_prefixes.hpp"

#include <fmt/core.h>

#include "objects/overload.hpp"
#include "objects/phrases.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth {

RightPrefixes::RightPrefixes(const Model& model, const LanguageOracle& oracle) : oracle_(oracle) {
  if (!reads_prefixes(model)) return;
  std::visit(
      Overload{[](std::monostate) {},
               [&](const TransformationReadout& readout) { points_ = readout.points; },
               [&](const ElementReadout& readout) { points_ = readout.elements.front().size(); },
               [&](const StateReadout& readout) {
                 states_ = true;
                 number_states(model, readout.states);
               }},
      std::get<AcceptOutput>(model.output).prefix);
}

/// Breadth first from the initial state.
void RightPrefixes::number_states(const Model& model, std::size_t states) {
  automaton_ = oracle_.minimal_automaton();
  if (!automaton_) {
    note_ = "the oracle knows no states";
    return;
  }
  if (automaton_->states() != states) {  // of another automaton of the same language
    note_ = fmt::format("the file reads one of {} states and the minimal automaton has {}", states,
                        automaton_->states());
    automaton_.reset();
    return;
  }
  std::vector<State> reached = {automaton_->initial};
  std::vector<bool> seen(states);
  seen[automaton_->initial] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::string& letter : model.alphabet) {
      const State next = automaton_->step(reached[i], *oracle_.alphabet().find(letter));
      if (!seen[next]) reached.push_back(next);
      seen[next] = true;
    }
  numbers_.resize(states);
  for (State i = 0; i < states; ++i) numbers_[reached[i]] = i;
}

std::optional<std::vector<PrefixAnswer>> RightPrefixes::of(const Word& word) {
  if (points_) return products(word);
  if (!automaton_) return std::nullopt;
  std::vector<PrefixAnswer> answers;
  State state = automaton_->initial;
  for (const Letter letter : word) {
    state = automaton_->step(state, letter);
    answers.emplace_back(numbers_[state]);
  }
  return answers;
}

std::optional<std::vector<PrefixAnswer>> RightPrefixes::products(const Word& word) {
  const auto products = oracle_.prefix_products(word);
  if (!products) {
    note_ = "the oracle knows no prefix products";
    return std::nullopt;
  }
  if (!products->empty() && products->front().size() != *points_) {  // another action
    note_ = fmt::format("the file reads products of {} points and the oracle has {}", *points_,
                        products->front().size());
    return std::nullopt;
  }
  return std::vector<PrefixAnswer>(products->begin(), products->end());
}

std::string RightPrefixes::expected(std::size_t letters, const PrefixAnswer& answer) const {
  return fmt::format("{} the first {} {}", states_ ? "state after" : "product of",
                     counted(letters, "letter"), prefix_text(answer));
}

}  // namespace logdepth
