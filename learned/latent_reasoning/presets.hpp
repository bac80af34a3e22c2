#pragma once

#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// The six methods of the paper's table 1.
enum class LatentMethod {
  feed_forward,      ///< end to end, different layers
  recurrent,         ///< end to end, one block as often as the graph is deep
  chain_of_thought,  ///< a language model that writes the computation down
  continuous,        ///< the recurrent block, its states supervised layer by layer
  discrete,          ///< states made discrete between iterations
  corrected          ///< the same, trained on states with errors
};
const char* latent_method_name(LatentMethod method);

/// One method on computation graphs. `paper_size`: arithmetic modulo 23 on up to 32 of 128 names,
/// the published shapes; else addition modulo 3 on up to 8 of 32 names, for a CPU.
RunConfig latent_reasoning(LatentMethod method, bool paper_size);

/// The continuous method without depths: the final values after every one of a fixed number of
/// loops, under the loss that discounts "not known yet" by `discount` (appendix D).
RunConfig latent_without_oracle(bool paper_size, double discount);

}  // namespace logdepth::inline learned_latent_reasoning
