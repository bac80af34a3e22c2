#include "learned/core/device_name.hpp"

#ifdef LOGDEPTH_CUDA_GRAPHS
#include <ATen/cuda/CUDAContext.h>
#endif

namespace logdepth::inline learned_core {

#ifdef LOGDEPTH_CUDA_GRAPHS
std::string device_name(torch::Device device) {
  return device.is_cuda() ? at::cuda::getCurrentDeviceProperties()->name : "";
}
#else
std::string device_name(torch::Device) {
  return "";
}
#endif

}  // namespace logdepth::inline learned_core
