// The pass over MPFR numbers, in one thread: the reference for any precision.
#include "runtime/floats/mpfr_pass.hpp"
#include "runtime/floats/pass_on_device.hpp"
#include "runtime/floats/sequential_backend.hpp"

namespace logdepth { inline namespace runtime_floats { namespace float_pass {

std::unique_ptr<Pass<Mpfr>> mpfr_pass(const Plan<Mpfr>& plan, const Choice& choice) {
  return std::make_unique<PassOnDevice<SequentialBackend, Mpfr>>(SequentialBackend{}, plan, choice);
}

}}}  // namespace logdepth::runtime_floats::float_pass
