#include "compiler/passes/mask_plan.hpp"

#include <optional>
#include <set>

#include "compiler/rules/statement_cells.hpp"

namespace logdepth::inline compiler_passes {
namespace {

bool takes_away(const UsedCell& used, const AbstractState& before) {
  return (used.use == CellUse::overwritten || used.use == CellUse::erased) &&
         before[used.cell].kind != AbstractValue::Kind::blank;
}

/// The cells whose exact value the statements need; blank targets are left out.
std::set<CellId> cells_read_exactly(const Program& program, const SublayerStatements& statements,
                                    const AbstractState& before) {
  std::set<CellId> exact;
  for (const Statement* statement : statements)
    for (const UsedCell& used : cell_uses(program, *statement))
      if (used.use == CellUse::read || takes_away(used, before)) exact.insert(used.cell);
  return exact;
}

/// Perfect-square padding. With K the squared norm of the other cells, the constant cell gets a
/// mask weight w with K + w^2 = S^2 rational: w = (K-1)/2, S = (K+1)/2 in general (then
/// S^2 - w^2 = K), w = 1 for K = 0 and w = 3/4 for K = 1, where that would be zero or negative.
void complete_square(const Rational& norm, MaskPlan& plan) {
  if (norm.is_zero()) {
    plan.constant_weight = plan.root = 1;
  } else if (norm.is_one()) {
    plan.constant_weight = Rational(3, 4);
    plan.root = Rational(5, 4);
  } else {
    plan.constant_weight = (norm - Rational(1)) * Rational(1, 2);
    plan.root = (norm + Rational(1)) * Rational(1, 2);
  }
}

}  // namespace

std::vector<CellId> overwritten_cells(const Program& program, const SublayerStatements& statements,
                                      const AbstractState& before) {
  std::vector<CellId> overwritten;
  for (const Statement* statement : statements)
    for (const UsedCell& used : cell_uses(program, *statement))
      if (takes_away(used, before)) overwritten.push_back(used.cell);
  return overwritten;
}

MaskPlan plan_mask(const NumberProperties& numbers, const SublayerStatements& statements,
                   const AbstractState& before, const StatementPlace& place) {
  const Program& program = place.program;
  MaskPlan plan;
  plan.before = before;
  if (statements.empty()) return plan;
  const Statement& last = *statements.back();
  const std::set<CellId> exact = cells_read_exactly(program, statements, before);
  // The statements of a sublayer agree on the group.
  std::vector<Term> group = mask_group(program, last);
  if (!group.empty()) {
    // The schedule separates the two needs.
    if (!exact.empty())
      place.refuse(last, "cell " + program.cells[*exact.begin()].name +
                             " would be read in the same mask as the group of " +
                             program.cells[group.front().component.cell].name);
    std::vector<Component> components;
    for (const Term& t : group) components.push_back(t.component);
    plan.type = place.attention && numbers.common(components, before) ? MaskPlan::Type::common
                                                                      : MaskPlan::Type::direction;
    plan.components = std::move(group);
    return plan;
  }
  if (exact.empty()) return plan;
  plan.type = MaskPlan::Type::constant;
  const std::optional<CellId> one = constant_cell(program);
  Rational norm;
  for (const CellId cell : exact) {
    if (cell == one) continue;
    norm += *squared_norm(program.cells[cell].type);
    for (std::uint32_t i = 0; i < size_of(program.cells[cell].type); ++i)
      plan.components.push_back({{cell, i}, Rational(1)});
  }
  if (!one || !exact.contains(*one)) {
    if (const auto root = norm.square_root()) {
      plan.root = *root;
      return plan;
    }
    if (!one)
      place.refuse(
          last,
          "the mask has squared norm " + norm.text() +
              ", not a square; declare a constant cell to complete it, as in 'cell one constant'");
  }
  complete_square(norm, plan);
  return plan;
}

}  // namespace logdepth::inline compiler_passes
