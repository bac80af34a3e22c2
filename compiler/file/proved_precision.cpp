#include "compiler/file/proved_precision.hpp"

#include <fmt/core.h>

#include <optional>

#include "compiler/file/carried_program.hpp"

namespace logdepth::inline compiler_file {
namespace {

std::string text_of(const SeparationLaw& law) {
  const std::string coefficient = law.coefficient.text();
  if (law.exponent == 0) return coefficient;
  return coefficient + (law.exponent == 1 ? " / N" : fmt::format(" / N^{}", law.exponent));
}

std::string text_of(const Program& program, const Component& c) {
  const Cell& cell = program.cells[c.cell];
  return size_of(cell.type) == 1 ? cell.name : fmt::format("{}[{}]", cell.name, c.index);
}

/// "final block, layer 2", as the compiler counts.
std::string place(const Shape& shape, std::size_t layer) {
  Block block = Block::initial;
  if (layer >= shape.initial) {
    layer -= shape.initial;
    block = Block::repeated;
    if (layer >= shape.repeated) {
      layer -= shape.repeated;
      block = Block::final;
    }
  }
  return fmt::format("{} block, layer {}", block_name(block), layer + 1);
}

PrecisionSentence of_head(const std::string& head, const std::optional<SeparationLaw>& gap) {
  if (!gap) return {false, head + ": score gap between the selected and the other positions"};
  return {true, head + ": selected positions outscore the others by at least " + text_of(*gap)};
}

PrecisionSentence of_test(const std::string& test, const std::string& number,
                          const std::optional<SeparationLaw>& zero) {
  if (!zero) return {false, test + ": how near to 0 " + number + " comes where it is not 0"};
  return {true, test + ": " + number + " is 0, or at least " + text_of(*zero) + " away from it"};
}

}  // namespace

std::vector<PrecisionSentence> precision_sentences(const Model& model) {
  const CarriedProgram proved(model, Trust::recompiled);
  if (proved.trust() != Trust::recompiled) return {{false, "all values: " + proved.reason()}};
  const CarriedProgram carried(model, Trust::plausible);  // the same program, layer by layer
  if (!carried.fitted()) return {{false, "all values: " + carried.reason()}};
  const Program& program = *carried.program();
  std::vector<PrecisionSentence> sentences;
  for (std::size_t layer = 0; layer < model.layers.size(); ++layer) {
    const LayerFacts& facts = proved.facts().layers[layer];
    const ScheduledLayer& statements = carried.fitted()->statements(layer);
    const auto where = [&](const Statement& statement) {
      return place(model.shape, layer) + ", " + statement_name(program, statement);
    };
    for (std::size_t head = 0; head < statements.attention.size(); ++head) {
      const auto& fetch = std::get<FetchStatement>(*statements.attention[head]);
      if (!std::holds_alternative<SelectAll>(fetch.selector))
        sentences.push_back(of_head(where(fetch), facts.heads[head].gap));
    }
    for (const Statement* statement : statements.feedforward)
      if (const auto* test = std::get_if<TestStatement>(statement))
        sentences.push_back(
            of_test(where(*test), text_of(program, test->number), facts.feedforward.zero));
  }
  return sentences;
}

}  // namespace logdepth::inline compiler_file
