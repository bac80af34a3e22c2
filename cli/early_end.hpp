#pragma once

#include <CLI/CLI.hpp>

namespace logdepth::inline cli {

/// Makes the signals that end a program, memory that GMP does not get, and exceptions that nobody
/// can catch remove what is unfinished before the program ends of them.
void prepare_early_ends();

/// --seconds: where the program is when it has taken so many, it ends, with kNotDecided and one
/// sentence. Nothing unfinished stays; whole lines that were printed stand.
void add_time_limit(CLI::App& command);
/// For a command that is done: nothing is late any more.
void end_time_limit();

/// While one lives, nothing ends the program: what comes waits until it is gone, but not longer than
/// a few seconds (whoever reads may have stopped reading), and not if a second signal comes. One at
/// a time.
class WithoutEnd {
 public:
  WithoutEnd();
  ~WithoutEnd();
  WithoutEnd(const WithoutEnd&) = delete;
  WithoutEnd& operator=(const WithoutEnd&) = delete;
};

}  // namespace logdepth::inline cli
