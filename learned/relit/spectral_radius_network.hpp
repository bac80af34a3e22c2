#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>

namespace logdepth::inline learned_relit {

/// The spectral radius of a map's derivative at a point, of any shape, which the map keeps: by
/// power iteration with the transposed derivative, which has the same eigenvalues and is what a
/// backward pass multiplies with. The result is the mean growth in the second half of the
/// iterations: eigenvalues of one absolute value, as a complex pair has, turn and do not settle.
double spectral_radius(const std::function<torch::Tensor(const torch::Tensor&)>& map,
                       const torch::Tensor& point, std::uint32_t iterations,
                       std::uint64_t seed = 1);

}  // namespace logdepth::inline learned_relit
