#pragma once

#include "learned/records/training_plan.hpp"

namespace logdepth {

/// The ablations of the specification of depth-recurrent transformers (section 6): what is changed
/// about a preset, one thing at a time.
enum class RecurrentAblation {
  supervision,     ///< a loss after every loop
  gate,            ///< none, and other initial biases
  layer_scale,     ///< none, and other initial values
  step_embedding,  ///< the other kinds
  mask,            ///< everybody reads all; edges are features of identities (graphs only)
  loops,           ///< a fixed number in place of a random one: the least, the most
  untied           ///< as many different layers as the most loops, without gate and step embedding
};

/// The preset, called "last", then a run for each other value, as in "gate-none". Errors: InputError
/// where the task has no such part.
TrainingPlan ablation_runs(RecurrentAblation ablation, const RunConfig& preset);

}  // namespace logdepth
