#pragma once

#include <vector>

#include "compiler/program/program.hpp"

namespace logdepth::inline compiler_passes {

/// The statements that share one sublayer. All of them read the stream as it was before it.
using SublayerStatements = std::vector<const Statement*>;

struct ScheduledLayer {
  SublayerStatements attention, feedforward;
};

/// Where each statement runs. Points into the program, which must outlive it.
struct Schedule {
  std::vector<ScheduledLayer> initial, repeated, final;

  const std::vector<ScheduledLayer>& block(Block b) const {
    return b == Block::initial ? initial : b == Block::repeated ? repeated : final;
  }
};

/// Puts every statement into the earliest sublayer of its block that keeps the meaning: strictly
/// after the writers of what it reads (overwritten cells included), not before the readers of what
/// it writes, and only among statements that can share its mask (a sublayer has one mask: either it
/// reads typed cells exactly, or it reads one group's direction). Later passes may assume that the
/// statements of a sublayer, applied at once to the old stream, mean the same as one by one.
Schedule schedule_layers(const Program& program);

/// The rule after this pass: every statement once, attention in attention sublayers, and every
/// dependence strictly forward. Errors: std::logic_error (a defect of the pass, not of the
/// program).
void check_schedule(const Program& program, const Schedule& schedule);

}  // namespace logdepth::inline compiler_passes
