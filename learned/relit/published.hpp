#pragma once

#include "report/data.hpp"

namespace logdepth::relit {

/// What "Think Deep, Speak Once" (ReLIT) prints of its own models and of others, to stand beside
/// ours. Every use is to be labelled "published".
///   "accuracies": in per cent, table 1: "model", a number for each data set by its name, "mean";
///     ReLIT is the last one;
///   "data_sets": parts of the benchmark GLoRE, in the order of the columns of table 1;
///   "trajectories": answers of one sample, macro step by macro step, as figure 3 shows them; "halted"
///     counts from 1;
///   "contradictions": where the paper contradicts itself, or leaves something open that a result
///     depends on, a sentence or two each.
report::Data published();

}  // namespace logdepth::relit
