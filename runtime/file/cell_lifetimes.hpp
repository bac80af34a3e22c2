#pragma once

namespace logdepth::inline runtime_file {

// How long a cell holds something, as the index of cells of a weights file says it.
inline constexpr const char* kPermanentLifetime = "permanent";  ///< from where it is written on
inline constexpr const char* kStateLifetime = "state";          ///< from loop to loop
inline constexpr const char* kScratchLifetime =
    "scratch";  ///< 0 again after every loop, and at the end
inline constexpr const char* kErasedLifetime = "erased";  ///< 0 again at the end of the run

}  // namespace logdepth::inline runtime_file
