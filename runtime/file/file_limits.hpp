#pragma once

#include <cstddef>
#include <cstdint>

namespace logdepth::inline runtime_file {

/// Limits a reader enforces before it allocates; stated in runtime/README.md.
inline constexpr std::size_t kMaxWeightsBytes = std::size_t{256} << 20;  ///< JSON text, unpacked
inline constexpr std::uint32_t kMaxWidth = 1u << 20;
inline constexpr std::uint32_t kMaxUnits = 1u << 24;  ///< any other matrix dimension
inline constexpr std::size_t kMaxLayers = 4096;
inline constexpr std::size_t kMaxRationalDigits = 20000;

}  // namespace logdepth::inline runtime_file
