#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "learned/core/network.hpp"
#include "learned/latent_reasoning/circuit_probes.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// Takes all probes. Errors: InputError where the run is of another task than `latent-steps`, its
/// model no plain stack of at least two layers, has too few names for a probe equation, or more
/// tuples of values than a table is made of.
CircuitProbes probe_circuits(const Network& network, const RunConfig& config);

/// The discrete Fourier transform of each channel of a table [modulus ^ operands, channels] over
/// the operands, orthonormal: complex [modulus, ..., modulus, channels]. The last operand of the
/// table runs fastest.
torch::Tensor spectrum(const torch::Tensor& table, std::uint32_t modulus, std::size_t operands);
/// Norms over the channels of the spectrum of such a table, class by class.
FourierPlace fourier_place(const std::string& place, const torch::Tensor& table,
                           std::uint32_t modulus, std::size_t operands);

}  // namespace logdepth::inline learned_latent_reasoning
