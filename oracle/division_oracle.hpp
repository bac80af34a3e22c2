#pragma once

#include <cstdint>

#include "logdepth/errors.hpp"

namespace logdepth { inline namespace oracle {

struct Division {
  std::uint64_t quotient = 0;
  std::uint64_t remainder = 0;

  bool operator==(const Division&) const = default;
};

/// dividend = quotient * divisor + remainder with remainder < divisor, by the operators of the
/// language: what a construction of division must agree with. Errors: InputError when the divisor
/// is 0.
inline Division division_oracle(std::uint64_t dividend, std::uint64_t divisor) {
  if (divisor == 0) throw InputError("expected a divisor of at least 1, found 0");
  return {dividend / divisor, dividend % divisor};
}

}}  // namespace logdepth::oracle
