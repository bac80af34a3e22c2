#include "learned/language_model/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace logdepth::inline learned_language_model {

std::uint64_t available_memory() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::ifstream system("/proc/meminfo");
  std::string key;
  for (std::uint64_t kib = 0; system >> key >> kib; std::getline(system, key))
    if (key == "MemAvailable:") least = kib << 10;
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::ifstream group(file);
    if (std::uint64_t bytes = 0; group >> bytes) least = std::min(least, bytes);  // or "max"
  }
  return least;
}

}  // namespace logdepth::inline learned_language_model
