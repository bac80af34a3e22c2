#pragma once

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// Chen 2026, "Thinking Deeper, Not Longer": a shared block with a gate and an embedding of each
/// step, trained at a number of steps drawn per batch. `paper_size`: as published, for a GPU; else
/// smaller in width, difficulty and steps, for a CPU.

/// Graph reachability: 1 to 5 hops, 5 to 8 steps, under the mask.
RunConfig depth_recurrent(HopTaskConfig::Generator generator, bool paper_size);
/// Nested expressions: depth 1 to 4 at 2 to 8 steps; published: 1 to 8 at 4 to 16.
RunConfig depth_recurrent_expressions(bool paper_size);
/// Family text: depth 2 to 3 at 1 to 6 steps; published: 2 to 5 at 1 to 12.
RunConfig depth_recurrent_families(bool paper_size);

}  // namespace logdepth::inline learned_depth_recurrent
