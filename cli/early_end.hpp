#pragma once

#include <CLI/CLI.hpp>

namespace logdepth {

/// Makes SIGINT, SIGTERM, SIGHUP and SIGPIPE remove what is unfinished before the program dies of
/// them.
void clean_up_on_signals();

/// --seconds: where the program is when it has taken so many, it ends, with kNotDecided and one
/// sentence. Nothing unfinished stays; whole lines that were printed stand.
void add_time_limit(CLI::App& command);

}  // namespace logdepth
