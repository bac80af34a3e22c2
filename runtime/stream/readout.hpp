#pragma once

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/numbers/outcome.hpp"

namespace logdepth { inline namespace runtime_stream {

/// The index, in a list of rows, of the one whose logit is larger than all others; absent on a tie.
/// `compare(i, j)` orders the logits of two rows.
template <class Compare>
std::optional<std::size_t> strictly_largest(std::span<const std::uint32_t> rows, Compare compare) {
  std::size_t best = 0;
  bool tie = false;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto order = compare(rows[i], rows[best]);
    if (order > 0) best = i;
    tie = order == 0 || (tie && order < 0);
  }
  if (tie) return std::nullopt;
  return best;
}

/// How answers are read from the logits of one token, whatever the numbers are. `Logits` has
///   winner(rows)   the index, in this list of rows, of the strictly largest logit, if there is one
///   sign(row)      -1, 0 or 1
///   text(row)      for a message
/// Errors of all: InputError when the output of the model is another.

template <class Logits>
Outcome<bool> read_verdict(const Model& model, Logits&& logits) {
  const auto* output = std::get_if<AcceptOutput>(&model.output);
  if (!output)
    throw InputError("the weights file " + in_quotes(model.name) + " has no accept/reject output");
  const std::array rows = {output->reject, output->accept};
  const auto best = logits.winner(rows);
  if (!best)
    return Undecided{"the logits of accept and reject are both " + logits.text(output->reject)};
  return *best == 1;
}

/// Throws where a model's relation has no such pair.
inline void check_relation(const Model& model, std::size_t tokens, std::size_t from,
                           std::size_t to) {
  if (!std::holds_alternative<RelationOutput>(model.output))
    throw InputError("the weights file " + in_quotes(model.name) +
                     " does not answer with a relation");
  if (from >= tokens || to >= model.unembedding.rows)
    throw InputError(fmt::format("the weights file {} has no vertex {}", in_quotes(model.name),
                                 from >= tokens ? from : to));
}

/// Whether vertex `to` can be reached from the token's vertex.
template <class Logits>
Outcome<bool> read_relation(Logits&& logits, std::size_t from, std::size_t to) {
  const int sign = logits.sign(static_cast<std::uint32_t>(to));
  if (sign == 0) return Undecided{fmt::format("the logit of the pair ({}, {}) is 0", from, to)};
  return sign > 0;
}

/// The prefix product, or the state, at the token. Precondition: reads_prefixes(model).
template <class Logits>
Outcome<PrefixAnswer> read_prefix(const Model& model, Logits&& logits, std::size_t token) {
  const auto& readout = std::get<AcceptOutput>(model.output).prefix;
  std::vector<std::uint32_t> rows;
  const auto winner = [&](std::uint32_t first, std::size_t count) {
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), first);
    return logits.winner(rows);
  };
  const auto undecided = [&](const std::string& what) {
    return Undecided{fmt::format("token {}: two {} share the largest logit", token, what)};
  };
  if (const auto* element = std::get_if<ElementReadout>(&readout)) {
    const auto best = winner(element->first_row, element->elements.size());
    if (!best) return undecided("elements");
    return PrefixAnswer(element->elements[*best]);
  }
  if (const auto* state = std::get_if<StateReadout>(&readout)) {
    const auto best = winner(state->first_row, state->states);
    if (!best) return undecided("states");
    return PrefixAnswer(static_cast<std::uint32_t>(*best));
  }
  const auto& transformation = std::get<TransformationReadout>(readout);
  std::vector<std::uint32_t> images;
  std::uint32_t row = transformation.first_row;
  for (const auto& candidates : transformation.images) {
    const auto best = winner(row, candidates.size());
    if (!best) return undecided("images of one point");
    images.push_back(candidates[*best]);
    row += static_cast<std::uint32_t>(candidates.size());
  }
  return PrefixAnswer(std::move(images));
}

/// Number of tokens before the first letter: 1 with a beginning token, else 0.
inline std::size_t first_letter(const Model& model) {
  const auto* input = std::get_if<WordInput>(&model.input);
  return input && input->begin ? 1 : 0;
}

}}  // namespace logdepth::runtime_stream
