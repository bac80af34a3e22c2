// The CUDA backend: the same pass, compiled by nvcc.
#include <cuda_runtime.h>

#include "runtime/floats/pass_on_device.hpp"
#include "runtime/floats/plan.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

template <class Real>
std::unique_ptr<Pass<Real>> cuda_pass(const Plan<Real>& plan, const Choice& choice) {
  return std::make_unique<PassOnDevice<ThrustBackend, Real>>(ThrustBackend{}, plan, choice);
}
template std::unique_ptr<Pass<double>> cuda_pass(const Plan<double>&, const Choice&);
template std::unique_ptr<Pass<float>> cuda_pass(const Plan<float>&, const Choice&);

int count_cuda_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}}}  // namespace logdepth::runtime_floats::float_pass
