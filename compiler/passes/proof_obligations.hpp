#pragma once

#include <string>
#include <vector>

#include "compiler/analysis/abstract_value.hpp"
#include "compiler/analysis/number_properties.hpp"
#include "compiler/passes/statement_place.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

/// What a statement demands of the cells before it. What the abstract state does not prove is
/// refused with block, layer, sublayer, statement, cell and reason (ProgramRefused), also where it
/// happens to hold for the inputs at hand.
class ProofObligations {
 public:
  ProofObligations(const Program& program, const NumberProperties& numbers)
      : p_(program), numbers_(numbers) {}

  /// Memory: every cell holds what its use needs (CellUse), so a mask can read it and nothing is
  /// silently added to an occupied cell.
  void check_uses(const Statement& statement, const AbstractState& before,
                  const StatementPlace& place) const;
  /// What the head's schema, a copy, a direction and a test take for granted.
  void check_proofs(const Statement& statement, const AbstractState& before,
                    const StatementPlace& place) const;

  /// "zero", "a value of its type", "a number of unknown norm".
  static std::string describe(const AbstractValue& value);

 private:
  /// One statement at its place, so that the rules below need not carry them along.
  class AtStatement;

  const Program& p_;
  const NumberProperties& numbers_;
};

}  // namespace logdepth::inline compiler_passes
