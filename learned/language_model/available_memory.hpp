#pragma once

#include <cstdint>

namespace logdepth::inline learned_language_model {

/// Bytes of memory that a program may still take: what the system says is available, and the limit
/// of the control group where there is one. The largest number where neither is said.
std::uint64_t available_memory();

}  // namespace logdepth::inline learned_language_model
