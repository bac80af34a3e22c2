#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace logdepth {

/// One line on a terminal's standard error: how far, how fast, how long still. Silent in a pipe,
/// and for work of under a second.
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
};

}  // namespace logdepth
