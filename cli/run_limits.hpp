#pragma once

#include <CLI/CLI.hpp>

namespace logdepth::inline cli {

/// --memory and --seconds, of every command that runs a file.
void add_run_limits(CLI::App& command);

}  // namespace logdepth::inline cli
