#pragma once

#include <cstddef>

namespace logdepth::inline runtime_exact {

/// What the program gives an exact run where --memory does not say: 8 GiB, or 1 GiB where addresses have 32 bits.
constexpr std::size_t kRunMemory = std::size_t{8} << (sizeof(std::size_t) > 4 ? 30 : 27);

/// How many bytes an exact run may hold where who starts it does not say: kRunMemory, unless
/// set_run_memory() was called. One limit for the process, for each run on its own: a command runs
/// files in many places, and means the same by --memory in all of them. Nothing but that option
/// sets it, so that in the library it is always kRunMemory.
std::size_t run_memory();
void set_run_memory(std::size_t bytes);

}  // namespace logdepth::inline runtime_exact
