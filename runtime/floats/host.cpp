// The host backend: Thrust over TBB. Contraction of a * b + c is off (CMakeLists.txt), so that
// the numbers do not depend on the machine.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "objects/worker_threads.hpp"
#include "runtime/floats/pass_on_device.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth::float_pass {
namespace {

/// Steps run in an arena of as many threads as the run may use. TBB ends the run where the system
/// refuses a thread that it wants, so it is held to those that can be had.
struct HostBackend : ThrustBackend {
  explicit HostBackend(std::size_t wanted)
      : threads(startable_threads(std::min(wanted, Control::active_value(kLimit)))),
        limit(std::make_shared<Control>(kLimit, threads)) {}

  template <class Step>
  void each(std::size_t count, const Step& step) const {
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute([&] { ThrustBackend::each(count, step); });
  }

  using Control = tbb::global_control;
  static constexpr Control::parameter kLimit = Control::max_allowed_parallelism;
  std::size_t threads;
  std::shared_ptr<const Control> limit;
};

}  // namespace

template <class Real>
std::unique_ptr<Pass<Real>> host_pass(const Plan<Real>& plan, const Choice& choice,
                                      std::size_t threads) {
  const HostBackend backend(std::clamp<std::size_t>(threads, 1, 256));
  return std::make_unique<PassOnDevice<HostBackend, Real>>(backend, plan, choice);
}
template std::unique_ptr<Pass<double>> host_pass(const Plan<double>&, const Choice&, std::size_t);
template std::unique_ptr<Pass<float>> host_pass(const Plan<float>&, const Choice&, std::size_t);

}  // namespace logdepth::float_pass
