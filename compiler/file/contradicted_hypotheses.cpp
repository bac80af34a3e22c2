#include "compiler/file/contradicted_hypotheses.hpp"

#include <fmt/core.h>

#include <cstdint>

#include "runtime/file/head_place.hpp"
#include "runtime/file/hypotheses.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth::inline compiler_file {
namespace {

/// The first head of which `wrong` holds, with what is wrong.
template <class Wrong>
std::optional<std::string> head_that(const Model& model, const Wrong& wrong, const char* says) {
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer)
    for (std::size_t head = 0; head < model.layers[layer].attention.heads.size(); ++head)
      if (wrong(model.layers[layer].attention.heads[head]))
        return describe(HeadPlace{layer, head}) + " " + says;
  return std::nullopt;
}

std::optional<std::string> other_positions(const Model& model, const std::string& stated) {
  const std::string found = position_name(model.position);
  if (found == stated) return std::nullopt;
  return "the position encoding is " + found;
}

std::optional<std::string> larger_sizes(const Model& model, const std::string& stated) {
  const auto limit = largest_size(model);
  if (!limit) return "inputs of any size are supported";
  if (*limit > std::stoull(stated)) return fmt::format("inputs of up to {} are supported", *limit);
  return std::nullopt;
}

std::optional<std::string> against(const Model& model, const Assumed& assumed) {
  const auto* words = std::get_if<WordInput>(&model.input);
  switch (assumed.kind) {
    case Assumption::causal_heads:
      return head_that(
          model, [](const Head& head) { return !head.causal; }, "attends to all tokens");
    case Assumption::unmasked_heads:
      return head_that(
          model, [](const Head& head) { return head.causal; }, "is causal");
    case Assumption::uniform_heads:
      return head_that(
          model,
          [](const Head& head) { return !std::holds_alternative<UniformContract>(head.contract); },
          "has a contract that selects only some positions");
    case Assumption::first_flag:
      return other_positions(model, kFirstFlag);
    case Assumption::position_table:
      return other_positions(model, kTable);
    case Assumption::position_encoding:
      return other_positions(model, assumed.what);
    case Assumption::begin_token:
      if (words && !words->begin) return "no token begins a word";
      break;
    case Assumption::no_begin_token:
      if (words && words->begin) return "a token begins every word";
      break;
    case Assumption::end_token:
      if (words && !words->end) return "no token ends a word";
      break;
    case Assumption::any_length:
      if (const auto limit = largest_size(model))
        return fmt::format("inputs of more than {} are rejected", *limit);
      break;
    case Assumption::letters_at_most:
    case Assumption::vertices_at_most:
    case Assumption::tokens_at_most:
      return larger_sizes(model, assumed.what);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> contradiction(const Model& model, const std::string& hypothesis) {
  for (const Assumed& assumed : assumptions_of(hypothesis))
    if (auto found = against(model, assumed)) return found;
  return std::nullopt;
}

}  // namespace logdepth::inline compiler_file
