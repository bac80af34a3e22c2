#include "cli/run_limits.hpp"

#include <fmt/core.h>

#include <string>

#include "cli/early_end.hpp"
#include "objects/quoted_text.hpp"
#include "runtime/exact/run_memory.hpp"

namespace logdepth {
namespace {

constexpr double kMostMemory = 65536;  // GiB
constexpr double kGibibyte = std::size_t{1} << 30;

}  // namespace

void add_run_limits(CLI::App& command) {
  command
      .add_option_function<double>(
          "--memory", [](double gib) { set_run_memory(static_cast<std::size_t>(gib * kGibibyte)); },
          "GiB that an exact run may hold; an input that needs more is refused, exit status 3")
      ->check(CLI::Validator(
          [](std::string& text) {
            double gib = 0;
            const bool number = CLI::detail::lexical_cast(text, gib);
            return number && gib > 0 && gib <= kMostMemory
                       ? std::string()
                       : "expected a number of GiB above 0 and at most 65536, got " +
                             in_quotes(text);
          },
          "GIB"))
      ->default_str(fmt::format("{}", kRunMemory >> 30));
  add_time_limit(command);
}

}  // namespace logdepth
