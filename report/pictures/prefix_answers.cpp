#include "report/pictures/prefix_answers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/xml_text.hpp"
#include "compiler/file/names_of_states.hpp"
#include "objects/action.hpp"
#include "runtime/file/prefix_answer.hpp"

namespace logdepth::inline report_pictures {
namespace {

constexpr std::size_t kKeyColumns = 104;
constexpr std::size_t kKeyLines = 40;

}  // namespace

PrefixAnswers read_prefixes(Runner& runner, const Stream<ValueId>& stream) {
  PrefixAnswers answers;
  if (!runner.has_prefixes()) return answers;
  for (std::size_t token = 0; token < stream.tokens; ++token) {
    auto answer = runner.prefix(stream, token);
    if (!answer.has_value()) return {};
    answers.push_back(std::move(answer).value());
  }
  return answers;
}

std::optional<ComparedPrefixes> compared_prefixes(Runner& runner, const Stream<ValueId>& stream,
                                                  const std::optional<PrefixAnswers>& right) {
  if (!right || !runner.has_prefixes()) return std::nullopt;
  ComparedPrefixes compared{runner.first_letter(), {}, *right};
  for (std::size_t i = 0; i < right->size(); ++i) {
    auto answer = runner.prefix(stream, compared.first_letter + i);
    compared.answered.emplace_back();
    if (answer.has_value()) compared.answered.back() = std::move(answer).value();
  }
  return compared;
}

PrefixNames::PrefixNames(const Model& model, const PrefixAnswers& answers)
    : states_(reads_states(model)), state_names_(names_of_states(model)) {
  for (const PrefixAnswer& answer : answers) {
    if (const auto* product = std::get_if<Transformation>(&answer))
      spelled_ = spelled_ && product->size() <= 6 &&
                 std::all_of(product->begin(), product->end(), [](State q) { return q < 10; });
    if (known_.try_emplace(answer, order_.size() + 1).second) order_.push_back(answer);
  }
}

std::string PrefixNames::name(const PrefixAnswer& answer) const {
  if (const auto* state = std::get_if<State>(&answer))
    return *state < state_names_.size() ? cut_text(state_names_[*state], kStateCharacters)
                                        : std::to_string(*state);
  if (!spelled_) return fmt::format("m{}", known_.at(answer));
  std::string digits;
  for (const State q : std::get<Transformation>(answer)) digits += std::to_string(q);
  return digits;
}

std::vector<std::string> PrefixNames::names(const PrefixAnswers& answers) const {
  std::vector<std::string> texts;
  for (const PrefixAnswer& answer : answers) texts.push_back(name(answer));
  return texts;
}

std::vector<std::string> PrefixNames::notes() const {
  if (order_.empty()) return {};
  if (states_) return {"state: where the automaton is after the letters up to here"};
  if (spelled_) return {"product: the images of the points 0, 1, 2, \xE2\x80\xA6"};
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < order_.size() && i < kKeyLines; ++i)
    notes.push_back(cut_text(fmt::format("m{} = {}", i + 1, prefix_text(order_[i])), kKeyColumns));
  if (order_.size() > kKeyLines)
    notes.push_back(fmt::format("and {} more", order_.size() - kKeyLines));
  return notes;
}

}  // namespace logdepth::inline report_pictures
