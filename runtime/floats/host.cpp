// The host backend: Thrust over TBB. Contraction of a * b + c is off (CMakeLists.txt), so that
// the numbers do not depend on the machine.
#include <tbb/task_arena.h>

#include <algorithm>

#include "runtime/floats/pass_on_device.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth::float_pass {
namespace {

/// Steps run in an arena of as many threads as the run may use.
struct HostBackend : ThrustBackend {
  int threads = 1;
  template <class Step>
  void each(std::size_t count, const Step& step) const {
    tbb::task_arena arena(threads);
    arena.execute([&] { ThrustBackend::each(count, step); });
  }
};

}  // namespace

template <class Real>
std::unique_ptr<Pass<Real>> host_pass(const Plan<Real>& plan, const Choice& choice,
                                      std::size_t threads) {
  HostBackend backend;
  backend.threads = static_cast<int>(std::clamp<std::size_t>(threads, 1, 256));
  return std::make_unique<PassOnDevice<HostBackend, Real>>(backend, plan, choice);
}
template std::unique_ptr<Pass<double>> host_pass(const Plan<double>&, const Choice&, std::size_t);
template std::unique_ptr<Pass<float>> host_pass(const Plan<float>&, const Choice&, std::size_t);

}  // namespace logdepth::float_pass
