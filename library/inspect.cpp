// What a transformer says of itself, what is counted, what is proved: inspect.hpp.
#include "logdepth/inspect.hpp"

#include <utility>

#include "compiler/file/cell_meanings.hpp"
#include "compiler/file/measure.hpp"
#include "compiler/file/proved_precision.hpp"
#include "library/runs/state_numbers.hpp"
#include "library/transformer_inside.hpp"
#include "report/pictures/circuit_view.hpp"
#include "runtime/file/unrolling.hpp"

namespace logdepth {

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
  for (CellMeaning& cell : cell_meanings(model))
    sheet.cell_index.push_back({std::move(cell.name), std::move(cell.type),
                                std::move(cell.lifetime), std::move(cell.coordinates),
                                std::move(cell.meaning), std::move(cell.read_by),
                                std::move(cell.written_by)});
  if (auto numbers = state_numbers(model)) {
    sheet.states = numbers->states;
    sheet.initial_state = numbers->initial;
    sheet.accepting_states = std::move(numbers->accepting);
    sheet.state_names = std::move(numbers->names);
  }

  const CircuitView view = view_circuit(model);
  for (std::size_t l = 0; l < view.layers.size(); ++l)
    for (std::size_t k = 0; k < view.layers[l].heads.size(); ++k) {
      const HeadView& seen = view.layers[l].heads[k];
      HeadSheet& head = sheet.head_index.emplace_back();
      head.layer = l;
      head.head = k;
      head.name = seen.name;
      head.selects = seen.contract;
      head.reads = seen.match;
    }
  for (PrecisionSentence& sentence : precision_sentences(model))
    (sentence.proved ? sheet.proved : sheet.unproved).push_back(std::move(sentence.text));
  return sheet;
}

}  // namespace logdepth
