#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace logdepth::laws {

/// The seed of this run: LOGDEPTH_SEED when set, one fixed number otherwise, printed either way.
/// RapidCheck draws a fresh seed unless RC_PARAMS names one, so it is given the same number here;
/// an RC_PARAMS set by hand (a replay) is left alone.
inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* chosen = std::getenv("LOGDEPTH_SEED");
    const std::uint64_t number = chosen ? std::strtoull(chosen, nullptr, 10) : 20260301;
    setenv("RC_PARAMS", ("seed=" + std::to_string(number) + " max_success=2000").c_str(), 0);
    std::cout << "LOGDEPTH_SEED=" << number << " RC_PARAMS='" << std::getenv("RC_PARAMS") << "'\n";
    return number;
  }();
  return value;
}

/// RapidCheck reads RC_PARAMS at its first property: the seed must be chosen before main.
inline const std::uint64_t seed_chosen_before_main = seed();

}  // namespace logdepth::laws
