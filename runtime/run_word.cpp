#include "runtime/run_word.hpp"

#include <optional>
#include <span>
#include <variant>

#include "objects/input_error.hpp"
#include "runtime/embed.hpp"
#include "runtime/unrolling.hpp"

namespace logdepth {
namespace {

/// Index of the strictly largest of the logits, absent on a tie.
std::optional<std::size_t> winner(std::span<const ValueId> logits, const ValuePool& pool) {
  std::size_t best = 0;
  bool tie = false;
  for (std::size_t i = 1; i < logits.size(); ++i) {
    const auto order = pool[logits[i]] <=> pool[logits[best]];
    if (order > 0) {
      best = i;
      tie = false;
    } else if (order == 0) {
      tie = true;
    }
  }
  if (tie) return std::nullopt;
  return best;
}

}  // namespace

WordRunner::WordRunner(const Model& model)
    : model_(model), forward_(model, arithmetic_), unembedding_(model.unembedding) {
  const auto* input = std::get_if<WordInput>(&model.input);
  if (!input) throw InputError("the weights file '" + model.name + "' does not take words");
  begin_ = input->begin;
}

Outcome<Stream<ValueId>> WordRunner::run(const std::vector<std::string>& letters,
                                         const std::vector<ForwardObserver<ValueId>*>& observers) {
  if (model_.unroll.max_length && letters.size() > *model_.unroll.max_length)
    return OutsideHypotheses{"the input has " + std::to_string(letters.size()) +
                             " letters and this file is made for at most " +
                             std::to_string(*model_.unroll.max_length)};
  std::vector<std::string> kinds;
  kinds.reserve(letters.size() + 1);
  if (begin_) kinds.emplace_back(kBeginToken);
  for (const std::string& letter : letters) {
    if (!model_.embedding.contains(letter) || letter == kBeginToken)
      throw InputError("'" + letter + "' is not a letter of this model");
    kinds.push_back(letter);
  }
  if (kinds.empty())
    return OutsideHypotheses{"the empty word has no token in a model without a beginning token"};
  auto stream = embed(model_, kinds, arithmetic_);
  if (!stream.has_value()) return stream;
  return forward_.run(std::move(stream).value(), loops_at(model_.unroll, letters.size()),
                      observers);
}

Outcome<bool> WordRunner::accepts(const Stream<ValueId>& stream, std::size_t token) {
  const auto* output = std::get_if<AcceptOutput>(&model_.output);
  if (!output)
    throw InputError("the weights file '" + model_.name + "' has no accept/reject output");
  const auto logits = forward_.apply(unembedding_, stream, token);
  const std::vector<ValueId> pair = {logits[output->reject], logits[output->accept]};
  const auto best = winner(pair, arithmetic_.pool());
  if (!best)
    return Undecided{"the logits of accept and reject are both " +
                     arithmetic_.pool()[pair[0]].text()};
  return *best == 1;
}

bool WordRunner::has_prefixes() const {
  const auto* output = std::get_if<AcceptOutput>(&model_.output);
  return output && !std::holds_alternative<std::monostate>(output->prefix);
}

Outcome<std::vector<std::uint32_t>> WordRunner::prefix(const Stream<ValueId>& stream,
                                                       std::size_t token) {
  const auto& readout = std::get<AcceptOutput>(model_.output).prefix;
  const auto logits = forward_.apply(unembedding_, stream, token);
  const auto undecided = [&](const std::string& what) {
    return Undecided{"token " + std::to_string(token) + ": two " + what +
                     " share the largest logit"};
  };
  if (const auto* element = std::get_if<ElementReadout>(&readout)) {
    const auto best =
        winner(std::span(logits).subspan(element->first_row, element->elements.size()),
               arithmetic_.pool());
    if (!best) return undecided("elements");
    return element->elements[*best];
  }
  const auto& transformation = std::get<TransformationReadout>(readout);
  std::vector<std::uint32_t> images;
  std::size_t row = transformation.first_row;
  for (const auto& candidates : transformation.images) {
    const auto best = winner(std::span(logits).subspan(row, candidates.size()), arithmetic_.pool());
    if (!best) return undecided("images of one point");
    images.push_back(candidates[*best]);
    row += candidates.size();
  }
  return images;
}

std::vector<Real> WordRunner::logits(const Stream<ValueId>& stream, std::size_t token) {
  std::vector<Real> values;
  for (const ValueId id : forward_.apply(unembedding_, stream, token))
    values.push_back(arithmetic_.pool()[id]);
  return values;
}

}  // namespace logdepth
