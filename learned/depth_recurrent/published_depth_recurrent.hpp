#pragma once

#include <string>
#include <vector>

#include "learned/report/frontier.hpp"

namespace logdepth::inline learned_depth_recurrent {

/// What "Thinking Deeper, Not Longer" (Chen 2026, arXiv 2603.21676v1) prints, to stand beside our
/// numbers. Every use is to be labelled "published".

/// A figure: accuracy by difficulty and loops, and what was trained on.
struct PublishedHeatmap {
  std::string source;  ///< as in "figure 1"
  AccuracyHeatmap heatmap;
  TrainedRange trained;
};
/// Figure 1, graph reachability by hops. There is no row of 5 hops, to which it trains.
const PublishedHeatmap& published_hops();
/// Figure 2, nested boolean expressions by depth, even ones only.
const PublishedHeatmap& published_expressions();
/// Figure 3, relations of people in text by the number of facts between them.
const PublishedHeatmap& published_families();

/// Table 1, as the paper rounds it: accuracy on 12 hops after one loop, and out of the training
/// range with enough loops, under a loss per step and under a loss after the last one. The paper
/// says "perfect up to 8 hops" for the last number, which is kept as text.
struct PublishedSupervision {
  double one_loop_mean_steps = 0.73, one_loop_last = 0.50;
  double beyond_training_mean_steps = 0.50;
  const char* beyond_training_last = "perfect up to 8 hops";
};
inline constexpr PublishedSupervision kPublishedSupervision;

/// Where the paper contradicts itself or its own figures, a sentence or two each.
const std::vector<std::string>& published_contradictions();

}  // namespace logdepth::inline learned_depth_recurrent
