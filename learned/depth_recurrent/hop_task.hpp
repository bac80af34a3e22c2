#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "learned/depth_recurrent/hop_graphs.hpp"
#include "learned/records/task.hpp"
#include "learned/records/task_settings.hpp"

namespace logdepth {

/// Is there a path from source to target (specification of depth-recurrent transformers, section
/// 4.1)? A token per vertex, which knows its role (0 none, 1 source, 2 target) and, with
/// identities, a row of that table, different ones for the vertices of a graph. Under the mask
/// vertex i reads itself and its successors, so that information goes from the target towards the
/// source, one edge a step. Without it every vertex reads all, and its features are one number per
/// identity: 1 for its own and those of its successors.
///
/// `measure` gives accuracies by hop count and number of loops, the same graphs for every number
/// of loops, and what frontier.hpp reads off them.
struct HopTaskConfig final : TaskSettings {
  using Generator = HopGenerator;
  Generator generator = Generator::twin;
  std::uint32_t hops = 5;             ///< trained on 1 ... hops
  std::uint32_t chain = 8, pool = 8;  ///< sizes of training graphs (see hop_graphs.hpp)
  std::uint32_t test_chain = 14;      ///< of the graphs that are measured
  std::uint32_t identities = 0;       ///< rows of a table of node identities; 0: none
  bool masked = true;                 ///< attention sees successors only; else everything
  std::uint32_t batch = 64;
  std::vector<std::uint32_t> test_hops = {1, 2, 3, 4, 5, 6, 8, 10, 12};
  std::vector<std::uint32_t> test_loops = {1, 2, 3, 5, 8, 12, 15, 20};
  std::uint32_t validation = 1000;  ///< graphs per cell
  double threshold = 0.95;          ///< of the frontier

  const char* kind() const override { return "hops"; }
  std::unique_ptr<TaskSettings> clone() const override;
  void visit(SettingVisitor& visit) override;
  void validate() const override;
  std::unique_ptr<Task> make_task(std::uint64_t seed) const override;
  std::optional<DepthReading> depth_reading(const RecordFields& result) const override;
};

}  // namespace logdepth
