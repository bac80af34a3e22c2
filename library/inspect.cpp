// What a transformer says of itself, what is counted, what is proved: inspect.hpp.
#include "logdepth/inspect.hpp"

#include <fmt/core.h>

#include "library/transformer_inside.hpp"
#include "proofs-check/file/carried_program.hpp"
#include "proofs-check/file/measure.hpp"
#include "proofs-check/pictures/circuit_view.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {
namespace {

std::string law_text(const SeparationLaw& law) {
  if (law.exponent == 0) return law.coefficient.text();
  return fmt::format("{} / N^{}", law.coefficient.text(), law.exponent);
}

/// The heads that compare something without a gap, and the tests without a law.
std::vector<std::string> without_law(const Model& model, const CarriedProgram& carried) {
  if (carried.trust() != Trust::recompiled)
    return {"nothing is proved of these weights: " + carried.reason()};
  const auto fitted = FittedProgram::find(*carried.program(), model);
  std::vector<std::string> sentences;
  for (std::size_t l = 0; fitted && l < model.layers.size(); ++l) {
    const ScheduledLayer& layer = fitted->statements(l);
    const LayerFacts& known = carried.facts().layers[l];
    const auto lacks = [&](const Statement& statement, const char* what) {
      sentences.push_back(
          fmt::format("layer {}, {}: {}", l, statement_name(*carried.program(), statement), what));
    };
    for (std::size_t k = 0; k < layer.attention.size(); ++k)
      if (!known.heads[k].gap &&
          !std::holds_alternative<UniformPromise>(model.layers[l].attention.heads[k].promise))
        lacks(*layer.attention[k],
              "how far the largest score is above the others is not bounded from below");
    for (const Statement* statement : layer.feedforward)
      if (std::holds_alternative<TestStatement>(*statement) && !known.feedforward.zero)
        lacks(*statement, "how far from zero the number is, where it is not zero, is not bounded");
  }
  return sentences;
}

}  // namespace

ClaimSheet inspect(const Transformer& transformer) {
  const Model& model = transformer.hidden().model;
  const Measures counted = measure(model, 1);
  ClaimSheet sheet;
  sheet.name = model.name;
  sheet.construction = model.construction;
  sheet.source = model.source;
  sheet.hypotheses = model.hypotheses;
  sheet.deviations = model.deviations;
  sheet.alphabet = model.alphabet;
  sheet.initial = counted.initial;
  sheet.repeated = counted.repeated;
  sheet.final = counted.final;
  sheet.depth = depth_formula(model);
  sheet.largest = largest_size(model);
  sheet.width = counted.width;
  sheet.used = counted.cells;
  sheet.heads = counted.heads;
  sheet.units = counted.units;
  sheet.nonzeros = counted.nonzeros;
  for (const auto& [name, cell] : model.cells)
    sheet.cell_index.push_back({name, cell.type, cell.lifetime, cell.coordinates});

  const CarriedProgram carried(model, Trust::recompiled);
  const CircuitView view = view_circuit(model);
  for (std::size_t l = 0; l < view.layers.size(); ++l)
    for (std::size_t k = 0; k < view.layers[l].heads.size(); ++k) {
      const HeadView& seen = view.layers[l].heads[k];
      HeadSheet& head = sheet.head_index.emplace_back();
      head.layer = l;
      head.head = k;
      head.name = seen.name;
      head.selects = seen.promise;
      head.reads = seen.match;
      if (const auto& gap = carried.facts().layers[l].heads[k].gap) head.gap = law_text(*gap);
    }
  sheet.unproved = without_law(model, carried);
  return sheet;
}

}  // namespace logdepth
