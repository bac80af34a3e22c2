#pragma once

#include <vector>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/passes/statement_place.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

/// The type of one sublayer's mask (design: constant, direction, common), with what emission needs.
struct MaskPlan {
  enum class Type {
    empty,      ///< nothing is read
    constant,   ///< squared norm is root^2 at every token: components are read exactly
    direction,  ///< the group is read alone: the result is its unit vector
    common      ///< the group has one norm at all tokens of an input: read up to a common factor
  };
  Type type = Type::empty;
  std::vector<Term> components;  ///< what the mask keeps with its weights, the constant cell apart
  Rational constant_weight;      ///< mask weight of the constant cell; 0: not in the mask
  Rational root = 1;             ///< constant: S with S^2 the masked squared norm
  AbstractState before;          ///< what the cells hold when the sublayer reads them
};

/// The mask of a sublayer whose statements obey ProofObligations::check_uses. Errors:
/// ProgramRefused, if one mask cannot serve them all or its norm cannot be made a square.
MaskPlan plan_mask(const NumberProperties& numbers, const SublayerStatements& statements,
                   const AbstractState& before, const StatementPlace& place);

/// The cells whose old value a sublayer has to take away: overwritten or erased, and not blank.
std::vector<CellId> overwritten_cells(const Program& program, const SublayerStatements& statements,
                                      const AbstractState& before);

}  // namespace logdepth::inline compiler_passes
