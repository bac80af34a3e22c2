#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "learned/depth_recurrent/difficulty_task.hpp"
#include "learned/depth_recurrent/hop_graphs.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// Is there a path from source to target (specification of depth-recurrent transformers, section
/// 4.1)? The difficulty is the number of hops that is asked for, also where there is no path. A token per vertex, which knows its role (0 none, 1 source, 2 target) and, with
/// identities, a row of that table, different ones for the vertices of a graph. Under the mask
/// vertex i reads itself and its successors, so that information goes from the target towards the
/// source, one edge a step. Without it every vertex reads all, and its features are one number per
/// identity: 1 for its own and those of its successors.
struct HopTaskConfig final : DifficultySettings {
  using Generator = HopGenerator;
  Generator generator = Generator::twin;
  std::uint32_t chain = 8, pool = 8;  ///< sizes of training graphs (see hop_graphs.hpp)
  std::uint32_t test_chain = 14;      ///< of the graphs that are measured
  std::uint32_t identities = 0;       ///< rows of a table of node identities; 0: none
  bool masked = true;                 ///< attention sees successors only; else everything

  HopTaskConfig();
  const char* kind() const override { return "hops"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::optional<DepthReading> depth_reading(const RecordFields& result) const override;
};

}  // namespace logdepth::inline learned_depth_recurrent
