#pragma once

#include <torch/types.h>

#include <string>

namespace logdepth::inline learned_core {

/// What the maker calls a device; empty of the CPU, and without CUDA's headers.
std::string device_name(torch::Device device);

}  // namespace logdepth::inline learned_core
