#include "compiler/file/fitted_program.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/overload.hpp"
#include "compiler/rules/program_rules.hpp"

namespace logdepth::inline compiler_file {
namespace {

bool same_contract(const Selector& selector, const Contract& contract) {
  const auto* match = std::get_if<MatchContract>(&contract);
  return std::visit(
      Overload{[&](const SelectAll&) { return std::holds_alternative<UniformContract>(contract); },
               [&](const SelectPointed&) { return match && match->exactly_one; },
               [&](const SelectSame&) { return match && !match->exactly_one; },
               [&](const SelectNearest&) { return match && match->exactly_one; },
               [&](const SelectRightmost&) {
                 return std::holds_alternative<RightmostContract>(contract);
               },
               [&](const SelectFlagged& flagged) {
                 const auto* kept = std::get_if<FlaggedContract>(&contract);
                 return kept && kept->when.has_value() == flagged.when.has_value();
               },
               [&](const SelectFound& found) {
                 const auto* kept = std::get_if<FindContract>(&contract);
                 return kept && kept->terms == found.terms.size() &&
                        kept->prefer == found.prefer.has_value() && kept->exactly_one == found.one;
               },
               [&](const SelectRelated& related) {
                 const auto* kept = std::get_if<RelatedContract>(&contract);
                 return kept && kept->pairs.size() == related.flags.size();
               }},
      selector);
}

bool same_layer(const ScheduledLayer& scheduled, const Layer& layer) {
  if (scheduled.attention.size() != layer.attention.heads.size()) return false;
  for (std::size_t i = 0; i < scheduled.attention.size(); ++i) {
    const auto* fetch = std::get_if<FetchStatement>(scheduled.attention[i]);
    const Head& head = layer.attention.heads[i];
    if (!fetch || fetch->causal != head.causal || !same_contract(fetch->selector, head.contract))
      return false;
  }
  std::size_t rules = 0;
  for (const Statement* statement : scheduled.feedforward)
    if (const auto* lookup = std::get_if<LookupStatement>(statement)) rules += lookup->rules.size();
  return rules <= layer.feedforward.in.rows &&
         scheduled.feedforward.empty() == (layer.feedforward.in.rows == 0);
}

/// The mask reads exactly the planned components: in the file's own cell index.
bool same_mask(const Program& program, const MaskPlan& plan, const Model& model,
               const SparseVector& mask) {
  std::set<std::uint32_t> expected, found;
  const auto expect = [&](const Component& c) {
    const auto cell = model.cells.find(program.cells[c.cell].name);
    if (cell == model.cells.end() || c.index >= cell->second.coordinates.size()) return false;
    expected.insert(cell->second.coordinates[c.index]);
    return true;
  };
  for (const Term& term : plan.components)
    if (!expect(term.component)) return false;
  const auto one = constant_cell(program);
  if (!plan.constant_weight.is_zero() && !(one && expect({*one, 0}))) return false;
  const std::uint32_t logical = model.norm == Norm::layernorm ? model.width / 2 : model.width;
  for (const SparseEntry& entry : mask)
    if (entry.index < logical) found.insert(entry.index);
  return expected == found;
}

}  // namespace

std::unique_ptr<const FittedProgram> FittedProgram::find(const Program& program,
                                                         const Model& model) {
  std::unique_ptr<FittedProgram> fitted(new FittedProgram(program));
  try {
    check_program(program);
    fitted->schedule_ = schedule_layers(program);
    fitted->masks_ = type_masks(program, fitted->schedule_);
  } catch (const ProgramRefused&) {
    return nullptr;
  }
  if (!fitted->fits(model)) return nullptr;
  return fitted;
}

bool FittedProgram::fits(const Model& model) {
  for (const Cell& cell : program_.cells) {
    const auto index = model.cells.find(cell.name);
    if (!model.cells.empty() &&
        (index == model.cells.end() || index->second.coordinates.size() != size_of(cell.type)))
      return false;
  }
  // Layers of the file in terms of the program's: as they are, or unrolled.
  const std::size_t initial = schedule_.initial.size(), repeated = schedule_.repeated.size(),
                    final = schedule_.final.size();
  const Shape& shape = model.shape;
  std::size_t loops = 1;
  if (shape.initial != initial || shape.repeated != repeated || shape.final != final) {
    const bool unrolled = shape.repeated == 0 && shape.final == 0 && repeated > 0 &&
                          shape.initial >= initial + final &&
                          (shape.initial - initial - final) % repeated == 0;
    if (!unrolled) return false;
    loops = (shape.initial - initial - final) / repeated;
  }
  std::vector<std::pair<const ScheduledLayer*, const LayerMasks*>> order;
  const auto append = [&](Block block) {
    for (std::size_t i = 0; i < schedule_.block(block).size(); ++i)
      order.emplace_back(&schedule_.block(block)[i], &masks_.block(block)[i]);
  };
  append(Block::initial);
  for (std::size_t loop = 0; loop < loops; ++loop) append(Block::repeated);
  append(Block::final);
  if (order.size() != model.layers.size()) return false;

  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [statements, masks] = order[i];
    const Layer& layer = model.layers[i];
    if (!same_layer(*statements, layer)) return false;
    FittedLayer& fitted = layers_.emplace_back();
    fitted.statements = statements;
    if (same_mask(program_, masks->attention, model, layer.attention.mask))
      fitted.attention = &masks->attention;
    if (same_mask(program_, masks->feedforward, model, layer.feedforward.mask))
      fitted.feedforward = &masks->feedforward;
  }
  return true;
}

}  // namespace logdepth::inline compiler_file
