#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace logdepth {

/// Exit statuses of the program; see README.
enum ExitStatus { kDone = 0, kCheckFailed = 1, kBadInput = 2, kNotDecided = 3 };

/// Validates counts: CLI11 would wrap a negative one to a huge unsigned number.
inline const CLI::Range kCount(0.0, 1e15, "COUNT");
inline const CLI::Range kSmallCount(0.0, 1e7, "COUNT");

/// Each function adds one subcommand with its options and returns what runs it.
using Command = std::function<int()>;

Command add_compile_regular(CLI::App& compile);
Command add_compile_program(CLI::App& compile);
Command add_run(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_info(CLI::App& app);
Command add_inspect(CLI::App& app);
Command add_test(CLI::App& app);
Command add_draw(CLI::App& app);

}  // namespace logdepth
