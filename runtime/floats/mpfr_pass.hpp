#pragma once

#include <memory>

#include "runtime/floats/mpfr_number.hpp"
#include "runtime/floats/pass.hpp"

namespace logdepth::inline runtime_floats::float_pass {

/// The pass in one thread; the thread's default MPFR precision must be the plan's during its life.
std::unique_ptr<Pass<Mpfr>> mpfr_pass(const Plan<Mpfr>& plan, const Choice& choice);

}  // namespace logdepth::inline runtime_floats::float_pass
