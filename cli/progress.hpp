#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace logdepth::inline cli {

/// One line on a terminal's standard error: how far, how fast of late, how long still. Silent in a
/// pipe, and for work of under a second.
class Progress {
 public:
  Progress(std::string what, std::string unit);
  ~Progress();
  void update(std::size_t done, std::size_t total);

 private:
  std::string what_, unit_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  /// How far it was some seconds ago, and some seconds before that: what comes first may be much
  /// slower than the rest, or much faster.
  struct Mark {
    std::chrono::steady_clock::time_point time;
    std::size_t done = 0;
  };
  Mark before_, mark_;
};

}  // namespace logdepth::inline cli
