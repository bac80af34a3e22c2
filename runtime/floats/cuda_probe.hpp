#pragma once

namespace logdepth::inline runtime_floats::float_pass {

/// CUDA devices that a driver shows; 0 without a driver. Asked before anything of the CUDA backend
/// is touched: without a driver its first allocation would end the program.
int count_cuda_devices();

}  // namespace logdepth::inline runtime_floats::float_pass
