#include "cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace logdepth::inline cli {

Progress::Progress(std::string what, std::string unit)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      last_(start_),
      before_{start_},
      mark_{start_} {}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

void Progress::update(std::size_t done, std::size_t total) {
  if (!terminal_ || done == 0) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> elapsed = now - start_;
  const std::chrono::duration<double> since = now - last_;
  if (elapsed.count() < 1 || since.count() < 0.1) return;
  last_ = now;
  shown_ = true;
  constexpr std::chrono::seconds kOfLate(4);
  if (now - mark_.time > kOfLate) before_ = std::exchange(mark_, {now, done});
  const std::chrono::duration<double> lately = now - before_.time;
  const double rate =
      static_cast<double>(std::max<std::size_t>(done - before_.done, 1)) / lately.count();
  std::fprintf(stderr, "\r\033[K%s: %zu of %zu %s, %.0f s, %.1f/s, %.0f s left", what_.c_str(),
               done, total, unit_.c_str(), elapsed.count(), rate,
               static_cast<double>(total - done) / rate);
  std::fflush(stderr);
}

}  // namespace logdepth::inline cli
