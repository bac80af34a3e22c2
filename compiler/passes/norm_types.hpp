#pragma once

#include <vector>

#include "compiler/passes/mask_plan.hpp"
#include "compiler/passes/schedule.hpp"
#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

struct LayerMasks {
  MaskPlan attention, feedforward;
  std::vector<CellId> reset;        ///< cells that attention sets and that were not blank
  std::vector<CellId> overwritten;  ///< cells the feed-forward overwrites that were not blank
};

struct MaskTypes {
  std::vector<LayerMasks> initial, repeated, final;
  std::vector<CellId> zero_at_end;  ///< cells that are 0 at every token after the last layer

  const std::vector<LayerMasks>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Norm typing: walks the schedule on abstract states (compiler/analysis) and proves each mask's
/// type for every token (junk tokens included), that nothing is silently added to an occupied cell,
/// that scratch is zero at the end of the repeated block, and that the loop finds its cells as it
/// left them. Errors: ProgramRefused naming block, layer, sublayer, statement, cell and reason.
MaskTypes type_masks(const Program& program, const Schedule& schedule);

}  // namespace logdepth::inline compiler_passes
