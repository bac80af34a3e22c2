#include "learned/core/step_graph.hpp"

#include <utility>

#ifdef LOGDEPTH_CUDA_GRAPHS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#endif

namespace logdepth::inline learned_core {

#ifdef LOGDEPTH_CUDA_GRAPHS

struct StepGraph::Recording {
  c10::cuda::CUDAStream stream = c10::cuda::getStreamFromPool();  // the default one records nothing
  at::cuda::CUDAGraph graph;
  int steps_before = 0;
  bool recorded = false;
  Learned learned;
};

StepGraph::StepGraph(std::function<Learned()> step, torch::Device device)
    : step_(std::move(step)),
      recording_(device.is_cuda() ? std::make_unique<Recording>() : nullptr) {}

Learned StepGraph::run() {
  // Libraries choose kernels and take their memory in the first steps.
  constexpr int kStepsBefore = 3;
  if (!recording_) return step_();
  Recording& r = *recording_;
  if (!r.recorded) {
    c10::cuda::device_synchronize();
    {
      const c10::cuda::CUDAStreamGuard guard(r.stream);
      if (r.steps_before < kStepsBefore) {
        ++r.steps_before;
        const Learned learned = step_();
        c10::cuda::device_synchronize();
        return learned;
      }
      r.graph.capture_begin();
      r.learned = step_();
      r.graph.capture_end();
      r.recorded = true;
    }
    c10::cuda::device_synchronize();
  }
  r.graph.replay();
  return r.learned;
}

#else

struct StepGraph::Recording {};

StepGraph::StepGraph(std::function<Learned()> step, torch::Device) : step_(std::move(step)) {}

Learned StepGraph::run() {
  return step_();
}

#endif

StepGraph::~StepGraph() = default;

}  // namespace logdepth::inline learned_core
