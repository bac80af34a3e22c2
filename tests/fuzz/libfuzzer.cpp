// With libFuzzer: the environment names the target, LOGDEPTH_FUZZ=weights.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace logdepth::fuzz;
  static const Target* const target = [] {
    const char* const name = std::getenv("LOGDEPTH_FUZZ");
    const auto found = targets().find(name ? name : "");
    hold(found != targets().end(), "LOGDEPTH_FUZZ names a target; fuzz_replay lists them");
    return &found->second;
  }();
  (*target)(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
