#pragma once

namespace logdepth {

// How long a cell holds something, as the index of cells of a weights file says it.
inline constexpr const char *kPermanentLifetime = "permanent",  ///< from where it is written on
    *kStateLifetime = "state",                                  ///< from loop to loop
        *kScratchLifetime = "scratch",    ///< 0 again at the end of every loop, and of the run
            *kErasedLifetime = "erased";  ///< 0 again at the end of the run

}  // namespace logdepth
