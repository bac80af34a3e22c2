#include "cli/run_limits.hpp"

#include <fmt/core.h>

#include <cstdint>

#include "cli/commands.hpp"
#include "cli/early_end.hpp"
#include "cli/validators.hpp"
#include "runtime/exact/run_memory.hpp"

namespace logdepth::inline cli {
namespace {

constexpr std::uint64_t kMostMemory = 65536;  // GiB
constexpr double kGibibyte = std::size_t{1} << 30;

}  // namespace

void add_run_limits(CLI::App& command) {
  command
      .add_option_function<double>(
          "--memory", [](double gib) { set_run_memory(static_cast<std::size_t>(gib * kGibibyte)); },
          "memory limit of exact runs in GiB; an input that needs more ends with exit status 3")
      ->check(amount_up_to(kMostMemory, "GiB", "GIB"))
      ->default_str(fmt::format("{}", kRunMemory >> 30));
  add_time_limit(command);
}

}  // namespace logdepth::inline cli
