#pragma once

#include <cstdint>
#include <vector>

#include "learned/core/parameters.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_core {

/// The learning rate of a step, counted from 0: linear growth over the first `warm_up` steps, then
/// as TrainingConfig::Schedule says, down to `floor` at the last step.
double learning_rate(const TrainingConfig& config, std::uint64_t step);

/// AdamW (Loshchilov and Hutter 2019) on all parameters as one vector, after their gradient was
/// scaled down to the norm `clip`. The arithmetic is that of libtorch's own optimiser (a test
/// compares them); that one takes several operations per parameter tensor.
class FlatAdamW {
 public:
  FlatAdamW(const TrainingConfig& config, const Parameters& parameters);
  /// One update from the gradients, which are zero afterwards. Precondition: one seed.
  void step(Parameters& parameters, double rate);

  /// Of several seeds, each with its own rate and clipped by its own norm, in two parts: the numbers
  /// that differ from step to step, and the update, whose operations are the same at every step, so
  /// that a device can record them once. A seed whose gradient is not finite keeps its moments.
  void prepare(const std::vector<double>& rates);
  void update(Parameters& parameters);

  Tensor first_moment, second_moment;  ///< shaped as the values
  /// As the values, or of one seed: 1 where a number is trained, 0 where it stays. Undefined: all are.
  Tensor trained;
  std::uint64_t steps = 0;  ///< done so far

 private:
  double beta1_, beta2_, weight_decay_, clip_;
  /// Of the next update, [3, seeds, 1]: the share of the values that is kept, the rate over the
  /// correction of the first moment, the root of the correction of the second.
  Tensor numbers_;
};

}  // namespace logdepth::inline learned_core
