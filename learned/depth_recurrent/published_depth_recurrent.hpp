#pragma once

#include <string>
#include <vector>

#include "learned/report/frontier.hpp"

namespace logdepth {

/// What "Thinking Deeper, Not Longer" (Chen 2026, arXiv 2603.21676v1) prints about graph
/// reachability, to stand beside our numbers. Every use is to be labelled "published".

/// Figure 1, trained on 1 to 5 hops with 5 to 8 loops: accuracy by hops and loops. There is no row
/// of 5 hops.
const AccuracyHeatmap& published_hop_heatmap();

/// Table 1, as the paper rounds it: accuracy on 12 hops after one loop, and out of the training
/// range with enough loops, under a loss per step and under a loss after the last one. The paper
/// says "perfect up to 8 hops" for the last number, which is kept as text.
struct PublishedSupervision {
  double one_loop_mean_steps = 0.73, one_loop_last = 0.50;
  double beyond_training_mean_steps = 0.50;
  const char* beyond_training_last = "perfect up to 8 hops";
};
inline constexpr PublishedSupervision kPublishedSupervision;

/// Where the paper contradicts itself or its own figure, a sentence or two each.
const std::vector<std::string>& published_contradictions();

}  // namespace logdepth
