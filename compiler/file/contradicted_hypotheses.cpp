#include "compiler/file/contradicted_hypotheses.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <regex>

#include "runtime/file/head_place.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
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

}  // namespace

std::optional<std::string> contradiction(const Model& model, const std::string& hypothesis) {
  const auto says = [&](const char* words) { return hypothesis.find(words) != std::string::npos; };
  const auto positions = [&](const std::string& stated) -> std::optional<std::string> {
    const std::string found = position_name(model.position);
    if (found == stated) return std::nullopt;
    return "the position encoding is " + found;
  };
  if (says("causal attention"))
    if (auto found = head_that(
            model, [](const Head& head) { return !head.causal; }, "looks at all tokens"))
      return found;
  if (says("unmasked heads") && !says("causal and unmasked"))
    if (auto found = head_that(
            model, [](const Head& head) { return head.causal; }, "is causal"))
      return found;
  if (says("uniform only"))
    if (auto found = head_that(
            model,
            [](const Head& head) { return !std::holds_alternative<UniformPromise>(head.promise); },
            "promises to select some positions only"))
      return found;
  if (says("the position encoding only separates the first position"))
    if (auto found = positions(kFirstFlag)) return found;
  if (says("a table of "))
    if (auto found = positions(kTable)) return found;
  std::smatch parts;
  static const std::regex encoding("rational position encoding: ([a-z-]+)");
  if (std::regex_search(hypothesis, parts, encoding))
    if (auto found = positions(parts[1])) return found;
  if (const auto* words = std::get_if<WordInput>(&model.input)) {
    if (says("one beginning token") && !words->begin) return "no token begins a word";
    if (says("no beginning token") && words->begin) return "a token begins every word";
    if (says("an end token") && !words->end) return "no token ends a word";
  }
  const auto limit = largest_size(model);
  if (says("any length") && limit) return fmt::format("inputs of more than {} are refused", *limit);
  static const std::regex at_most("at most ([0-9]{1,9}) (letters|vertices|tokens)");
  if (std::regex_search(hypothesis, parts, at_most)) {
    const std::uint64_t stated = std::stoull(parts[1]);
    if (!limit) return "inputs of any size are answered";
    if (*limit > stated) return fmt::format("inputs of up to {} are answered", *limit);
  }
  return std::nullopt;
}

}  // namespace logdepth
