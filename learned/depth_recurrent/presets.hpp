#pragma once

#include "learned/depth_recurrent/hop_task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth {

/// Depth-recurrent transformer on graphs (Chen 2026, "Thinking Deeper, Not Longer"). `paper_size`:
/// width 128; else 64, for a CPU.
RunConfig depth_recurrent(HopTaskConfig::Generator generator, bool paper_size);

}  // namespace logdepth
