#pragma once

#include <cstdint>

namespace logdepth { inline namespace objects {

inline bool is_prime(std::uint64_t n) {
  for (std::uint64_t p = 2; p * p <= n; ++p)
    if (n % p == 0) return false;
  return n >= 2;
}

}}  // namespace logdepth::objects
