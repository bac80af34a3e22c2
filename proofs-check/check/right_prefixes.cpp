#include "proofs-check/check/right_prefixes.hpp"

#include <fmt/core.h>

#include "base/overload.hpp"
#include "runtime/exact/run_model.hpp"

namespace logdepth::inline proofs_check_check {

RightPrefixes::RightPrefixes(const Model& model, const LanguageOracle& oracle)
    : model_(model), oracle_(oracle) {
  if (!reads_prefixes(model)) return;
  automaton_ = oracle.minimal_automaton();
  if (automaton_) number_states();
  std::visit(Overload{[](std::monostate) {},
                      [&](const TransformationReadout& readout) { find_products(readout.points); },
                      [&](const ElementReadout& readout) {
                        find_products(readout.elements.front().size());
                      },
                      [&](const StateReadout& readout) {
                        states_ = true;
                        known_ = automaton_ && automaton_->states() == readout.states;
                        if (!automaton_) {
                          note_ = "the oracle has no states";
                        } else if (!known_) {  // of another automaton of the same language
                          note_ = fmt::format(
                              "the file reads one of {} states and the minimal automaton has {}",
                              readout.states, automaton_->states());
                        }
                      }},
             std::get<AcceptOutput>(model.output).prefix);
}

/// Breadth first from the initial state.
void RightPrefixes::number_states() {
  const std::size_t states = automaton_->states();
  std::vector<State> reached = {automaton_->initial};
  std::vector<bool> seen(states);
  seen[automaton_->initial] = true;
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::string& letter : model_.alphabet) {
      const State next = automaton_->step(reached[i], *oracle_.alphabet().find(letter));
      if (!seen[next]) reached.push_back(next);
      seen[next] = true;
    }
  numbers_.resize(states);
  for (State i = 0; i < reached.size(); ++i) numbers_[reached[i]] = i;
}

void RightPrefixes::find_products(std::size_t points) {
  for (Letter letter = 0; letter < oracle_.alphabet().size() && !own_products_; ++letter)
    if (const auto products = oracle_.prefix_products({letter}))
      own_products_ = products->front().size() == points;
  known_ = own_products_;
  if (own_products_) return;
  auto products = products_of_letters();
  if (!products) {
    note_ = "the file has no product of a single letter";
    return;
  }
  of_letters_ = std::move(*products);
  known_ = true;
  if (!acts_as_automaton())
    note_ =
        "the file's points are not the oracle's; products are compared with those of their letters";
}

/// The file's answers to words of one letter.
std::optional<std::vector<Transformation>> RightPrefixes::products_of_letters() const {
  Runner runner(model_);
  std::vector<Transformation> products;
  for (const std::string& letter : oracle_.alphabet().names()) {
    const auto stream = runner.run_word({letter});
    if (!stream.has_value()) return std::nullopt;
    const auto product = runner.prefix(stream.value(), runner.first_letter());
    if (!product.has_value()) return std::nullopt;
    products.push_back(std::get<std::vector<std::uint32_t>>(product.value()));
  }
  return products;
}

/// The letters send the points as they send the states of the minimal automaton.
bool RightPrefixes::acts_as_automaton() const {
  if (!automaton_) return false;
  for (Letter letter = 0; letter < of_letters_.size(); ++letter) {
    if (of_letters_[letter].size() != automaton_->states()) return false;
    for (State q = 0; q < automaton_->states(); ++q)
      if (of_letters_[letter][numbers_[q]] != numbers_[automaton_->step(q, letter)]) return false;
  }
  return true;
}

std::optional<std::vector<State>> RightPrefixes::states_of(const Word& word) const {
  if (!automaton_) return std::nullopt;
  std::vector<State> states;
  State state = automaton_->initial;
  for (const Letter letter : word) states.push_back(state = automaton_->step(state, letter));
  return states;
}

std::optional<std::vector<PrefixAnswer>> RightPrefixes::of(const Word& word) const {
  if (!known_) return std::nullopt;
  std::vector<PrefixAnswer> answers;
  if (states_) {
    const auto reached = states_of(word);
    for (const State state : *reached) answers.emplace_back(numbers_[state]);
  } else if (own_products_) {
    const auto products = oracle_.prefix_products(word);
    answers.assign(products->begin(), products->end());
  } else if (!word.empty()) {
    Transformation product = identity_transformation(of_letters_.front().size());
    for (const Letter letter : word)
      answers.emplace_back(product = compose(product, of_letters_[letter]));
  }
  return answers;
}

}  // namespace logdepth::inline proofs_check_check
