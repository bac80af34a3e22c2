#pragma once

#include <optional>

#include "library/exports/self_test.hpp"

namespace logdepth::exports {

/// The least power of two, from 1 on, that passes the self-test as the temperature of every head;
/// the network then has it. Absent: none up to the largest finite one, at most 2^60. Tested, not
/// proved.
template <class Real>
std::optional<double> tested_temperature(const Model& model, Network& network,
                                         const FloatArrays<Real>& arrays, std::uint64_t seed,
                                         bool unrolled);

}  // namespace logdepth::exports
