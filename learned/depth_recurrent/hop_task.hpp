#pragma once

#include <cstdint>
#include <memory>

#include "learned/records/task.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth {

/// Is there a path from source to target (specification of depth-recurrent transformers, section
/// 4.1)? A token per vertex, which knows its role (0 none, 1 source, 2 target) and, with
/// identities, a row of that table, different ones for the vertices of a graph. Under the mask
/// vertex i reads itself and its successors, so that information goes from the target towards the
/// source, one edge a step. Without it every vertex reads all, and its features are one number per
/// identity: 1 for its own and those of its successors.
///
/// `measure` gives accuracies by hop count and number of loops, the same graphs for every number
/// of loops, and what `frontier.hpp` reads off them. Errors: InputError naming the setting and what
/// was expected.
std::unique_ptr<Task> make_hop_task(const HopTaskConfig& config, std::uint64_t seed);

}  // namespace logdepth
