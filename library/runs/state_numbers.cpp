#include "library/runs/state_numbers.hpp"

#include <map>
#include <utility>
#include <variant>

#include "compiler/file/names_of_states.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/prefix_answer.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline library_runs {
namespace {

/// Words of the most layers that are run.
constexpr std::uint64_t kMostLayers = 4096;

std::uint32_t number_of_states(const Model& model) {
  const auto& readout = std::get<AcceptOutput>(model.output).prefix;
  if (const auto* states = std::get_if<StateReadout>(&readout)) return states->states;
  if (const auto* images = std::get_if<TransformationReadout>(&readout)) return images->points;
  const auto& elements = std::get<ElementReadout>(readout).elements;
  return elements.empty() ? 0 : static_cast<std::uint32_t>(elements.front().size());
}

bool points_are_states(const Model& model) {
  const std::string* automaton = text_in(model.parameters, "automaton");
  return reads_states(model) || (automaton && !automaton->starts_with("group "));
}

/// Where a word leads, and whether it is accepted.
struct Reached {
  std::uint32_t state = 0;
  bool accepted = false;
};

std::optional<Reached> reached(Runner& runner, const std::vector<std::string>& word) {
  const auto stream = runner.run_word(word);
  const std::size_t last = runner.first_letter() + word.size();
  if (!stream.has_value() || last == 0) return std::nullopt;
  const auto verdict = runner.accepts(stream.value(), stream.value().tokens - 1);
  const auto prefix = runner.prefix(stream.value(), last - 1);
  if (!verdict.has_value() || !prefix.has_value()) return std::nullopt;
  const auto* product = std::get_if<std::vector<std::uint32_t>>(&prefix.value());
  return Reached{product ? product->front() : std::get<std::uint32_t>(prefix.value()),
                 verdict.value()};
}

}  // namespace

std::optional<StateNumbers> state_numbers(const Model& model) {
  if (!std::holds_alternative<WordInput>(model.input) || !reads_prefixes(model) ||
      !points_are_states(model))
    return std::nullopt;
  StateNumbers numbers;
  numbers.states = number_of_states(model);
  if (numbers.states == 0 || numbers.states * model.alphabet.size() > kMostNumbered ||
      depth_at(model, numbers.states) > kMostLayers)
    return std::nullopt;
  Runner runner(model);
  const auto empty = reached(runner, {});
  if (!empty) return std::nullopt;
  numbers.initial = empty->state;
  std::map<std::uint32_t, bool> accepts = {{empty->state, empty->accepted}};
  std::vector<std::pair<std::uint32_t, std::vector<std::string>>> shortest = {{empty->state, {}}};
  for (std::size_t i = 0; i < shortest.size(); ++i)
    for (const std::string& letter : model.alphabet) {
      std::vector<std::string> word = shortest[i].second;
      word.push_back(letter);
      if (model.unroll.max_length && word.size() > *model.unroll.max_length) continue;
      const auto next = reached(runner, word);
      if (!next) return std::nullopt;
      const auto [known, inserted] = accepts.try_emplace(next->state, next->accepted);
      if (known->second != next->accepted) return std::nullopt;
      if (inserted) shortest.emplace_back(next->state, std::move(word));
    }
  for (const auto& [state, accepted] : accepts)
    if (accepted) numbers.accepting.push_back(state);
  numbers.names = names_of_states(model);
  if (numbers.names.size() != numbers.states) numbers.names.clear();
  return numbers;
}

}  // namespace logdepth::inline library_runs
