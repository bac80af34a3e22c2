#pragma once

#include <functional>
#include <memory>

#include "learned/core/network.hpp"

namespace logdepth::inline learned_core {

/// A training step on a device whose operations and shapes are the same every time. The first steps
/// run as they are; then one is recorded, and from there on the device is told the whole step at once
/// in place of some hundred operations. On a CPU, and without CUDA's headers, every step runs as it is.
class StepGraph {
 public:
  /// What the step reads lies in tensors that stay where they are; so does what it gives.
  StepGraph(std::function<Learned()> step, torch::Device device);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  /// One step. Its tensors hold until the next one.
  Learned run();

 private:
  struct Recording;
  std::function<Learned()> step_;
  std::unique_ptr<Recording> recording_;  ///< absent where nothing is recorded
};

}  // namespace logdepth::inline learned_core
