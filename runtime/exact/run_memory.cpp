#include "runtime/exact/run_memory.hpp"

#include <atomic>

namespace logdepth::inline runtime_exact {
namespace {

std::atomic<std::size_t> memory = kRunMemory;

}  // namespace

std::size_t run_memory() {
  return memory;
}

void set_run_memory(std::size_t bytes) {
  memory = bytes;
}

}  // namespace logdepth::inline runtime_exact
