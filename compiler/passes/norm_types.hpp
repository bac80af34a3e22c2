#pragma once

#include <vector>

#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/cell_content.hpp"

namespace logdepth {

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
  CellContents contents;         ///< what the cells hold when the sublayer reads them
};

struct LayerMasks {
  MaskPlan attention, feedforward;
  std::vector<CellId> reset;        ///< cells that attention sets and that were not blank
  std::vector<CellId> overwritten;  ///< cells the feed-forward overwrites that were not blank
};

struct MaskTypes {
  std::vector<LayerMasks> initial, repeated, final;

  const std::vector<LayerMasks>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Infers what every cell holds before every sublayer (cell_content.hpp), proves each mask's norm
/// type for every token (junk tokens included), that nothing is silently added to an occupied cell,
/// that scratch is zero at the end of the repeated block, and that the loop finds its cells as it
/// left them. Errors: ProgramRefused naming block, layer, sublayer, statement, cell and reason.
MaskTypes type_masks(const Program& program, const Schedule& schedule);

}  // namespace logdepth
