// The host backend: Thrust over TBB. Contraction of a * b + c is off (CMakeLists.txt), so that
// the numbers do not depend on the machine.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "base/worker_threads.hpp"
#include "runtime/floats/pass_on_device.hpp"
#include "runtime/floats/thrust_backend.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {
namespace {

using Control = tbb::global_control;
constexpr Control::parameter kThreads = Control::max_allowed_parallelism;

/// As many of TBB's threads as the system lets it start, at most `wanted`. TBB ends the program
/// where one is refused that it counts on, also when a limit of ours ends, so that one stays.
std::size_t threads_of_tbb(std::size_t wanted) {
  const std::size_t counted_on = Control::active_value(kThreads);
  const std::size_t there = startable_threads(counted_on);
  if (there < counted_on) {
    [[maybe_unused]] static const Control* const for_good = new Control(kThreads, there);
  }
  return std::min(wanted, there);
}

/// Steps run in one arena of as many threads as the run may use: TBB goes through all arenas that there are whenever
/// one of them has work, and an arena of every step's own outlives the step.
struct HostBackend : ThrustBackend {
  static constexpr bool kInLanes = true;
  explicit HostBackend(std::size_t wanted)
      : threads(threads_of_tbb(wanted)),
        limit(std::make_shared<Control>(kThreads, threads)),
        arena(std::make_shared<tbb::task_arena>(static_cast<int>(threads))) {}

  template <class Step>
  void each(std::size_t count, const Step& step) const {
    arena->execute([&] { ThrustBackend::each(count, step); });
  }

  std::size_t threads;
  std::shared_ptr<const Control> limit;
  std::shared_ptr<tbb::task_arena> arena;
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

}}}  // namespace logdepth::runtime_floats::float_pass
