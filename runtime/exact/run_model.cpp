#include "runtime/exact/run_model.hpp"

#include <fmt/core.h>

#include <atomic>
#include <utility>
#include <variant>

#include "base/overload.hpp"
#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"
#include "runtime/stream/embed.hpp"
#include "runtime/stream/stream.hpp"

namespace logdepth { inline namespace runtime_exact {
namespace {

std::atomic<std::size_t> memory = kRunMemory;

}  // namespace

std::size_t run_memory() {
  return memory;
}

void set_run_memory(std::size_t bytes) {
  memory = bytes;
}

namespace {

const char* input_name(const Input& input) {
  return std::visit(
      Overload{[](const WordInput&) { return "words"; }, [](const CellsInput&) { return "cells"; },
               [](const GraphInput&) { return "graphs"; }},
      input);
}

/// The input of kind `Wanted`.
template <class Wanted>
const Wanted& input_as(const Model& model, const char* given) {
  const auto* input = std::get_if<Wanted>(&model.input);
  if (!input)
    throw InputError("the weights file " + in_quotes(model.name) + " takes " +
                     input_name(model.input) + ", not " + given);
  return *input;
}

std::optional<OutsideHypotheses> beyond_max_length(const Model& model, std::uint64_t size) {
  if (!model.unroll.max_length || size <= *model.unroll.max_length) return std::nullopt;
  const char* unit = std::holds_alternative<WordInput>(model.input)    ? " letters"
                     : std::holds_alternative<GraphInput>(model.input) ? " vertices"
                                                                       : " tokens";
  return OutsideHypotheses{fmt::format("the input has {}{}; this network supports at most {}", size,
                                       unit, *model.unroll.max_length)};
}

}  // namespace

Outcome<Tokens> tokens_of(const Model& model, const std::vector<std::string>& letters) {
  const auto& input = input_as<WordInput>(model, "words");
  if (auto refusal = beyond_max_length(model, letters.size())) return *refusal;
  for (const std::string& letter : letters)
    if (!model.embedding.contains(letter) || letter == kBeginToken || letter == kEndToken)
      throw InputError(in_quotes(letter) + " is not a letter of this model");
  return word_tokens(input, letters);
}

Outcome<Tokens> tokens_of(const Model& model, const Graph& graph, std::size_t source,
                          std::size_t target) {
  const auto& input = input_as<GraphInput>(model, "graphs");
  // Before the tokens are made: there are as many as the cube of the vertices.
  if (auto refusal = beyond_max_length(model, graph.size())) return *refusal;
  return graph_tokens(input, graph, source, target);
}

Outcome<Tokens> tokens_of(const Model& model, std::vector<std::vector<Real>> rows) {
  const auto& input = input_as<CellsInput>(model, "cells");
  if (auto refusal = beyond_max_length(model, rows.size())) return *refusal;
  for (std::size_t token = 0; token < rows.size(); ++token)
    if (rows[token].size() != input.names.size())
      throw InputError(fmt::format("token {} is given {} values; the weights file {} expects {}",
                                   token, rows[token].size(), in_quotes(model.name),
                                   input.names.size()));
  return cells_tokens(std::move(rows));
}

Runner::Runner(const Model& model, std::size_t memory)
    : model_(model), memory_(memory), arithmetic_(memory), forward_(model, arithmetic_, memory) {}

std::optional<OutsideHypotheses> outside_hypotheses(const Model& model, const Tokens& tokens) {
  if (auto refusal = beyond_max_length(model, tokens.size)) return refusal;
  if (tokens.kinds.empty()) return OutsideHypotheses{"the input has no token"};
  return std::nullopt;
}

Outcome<Stream<ValueId>> Runner::run(const Tokens& tokens, const Observers& observers) {
  if (auto refusal = outside_hypotheses(model_, tokens)) return *refusal;
  if (bytes() > memory_ / 2) {
    arithmetic_.forget();
    forward_.forget();
  }
  // Counted before it is held; segments are only looked for where they may matter.
  const std::size_t count = tokens.kinds.size() * sizeof(TupleId);
  if (count > memory_ / model_.width)
    if (const std::size_t held = count * segments_of(model_).size(); held > memory_)
      throw SizeLimit(fmt::format("embedding of {} tokens: the run holds {}; the limit is {}",
                                  tokens.kinds.size(), bytes_text(held), bytes_text(memory_)));
  auto stream = forward_.stream(tokens.kinds.size());
  if (const auto refusal = embed(model_, tokens, arithmetic_, stream)) return *refusal;
  const auto loops = static_cast<std::size_t>(loops_at(model_.unroll, tokens.size));
  return forward_.run(std::move(stream), loops, observers);
}

Outcome<Stream<ValueId>> Runner::run_word(const std::vector<std::string>& letters,
                                          const Observers& observers) {
  const auto tokens = tokens_of(model_, letters);
  if (!tokens.has_value()) return tokens.refusal();
  return run(tokens.value(), observers);
}

ExactLogits Runner::logits_of(const Stream<ValueId>& stream, std::size_t token) {
  return {forward_.logits(stream, token), arithmetic_.pool()};
}

Outcome<bool> Runner::accepts(const Stream<ValueId>& stream, std::size_t token) {
  return read_verdict(model_, logits_of(stream, token));
}

Outcome<bool> Runner::relation(const Stream<ValueId>& stream, std::size_t from, std::size_t to) {
  check_relation(model_, stream.tokens, from, to);
  return read_relation(logits_of(stream, from), from, to);
}

Outcome<bool> Runner::connected(const Stream<ValueId>& stream, std::size_t source,
                                std::size_t target) {
  if (std::holds_alternative<RelationOutput>(model_.output))
    return relation(stream, source, target);
  return accepts(stream, stream.tokens - 1);
}

Outcome<PrefixAnswer> Runner::prefix(const Stream<ValueId>& stream, std::size_t token) {
  return read_prefix(model_, logits_of(stream, token), token);
}

std::vector<Real> Runner::logits(const Stream<ValueId>& stream, std::size_t token) {
  std::vector<Real> values;
  for (const ValueId id : forward_.logits(stream, token)) values.push_back(arithmetic_.pool()[id]);
  return values;
}

}}  // namespace logdepth::runtime_exact
