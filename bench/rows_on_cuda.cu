// The float runtime's rows on a CUDA device.
#include <cuda_runtime.h>

#include "bench/lookup_head.hpp"
#include "bench/rows_on_device.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth {
namespace {

struct CudaBackend : float_pass::ThrustBackend {
  void wait() const { cudaDeviceSynchronize(); }
};

}  // namespace

template <class Number>
HeadContenderPtr rows_on_cuda(const LookupHead& head) {
  return std::make_unique<RowsOnDevice<CudaBackend, Number>>(CudaBackend{}, head);
}
template HeadContenderPtr rows_on_cuda<double>(const LookupHead&);
template HeadContenderPtr rows_on_cuda<float>(const LookupHead&);

}  // namespace logdepth
