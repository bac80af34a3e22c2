#include "cli/early_end.hpp"

#include <fmt/core.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "oracle/line_program.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth {
namespace {

constexpr std::uint64_t kMostSeconds = 100000000;  // three years

/// Made before the signal comes: its handler may not allocate.
std::string time_is_up;

void clean_up() {
  remove_unfinished_files();
  remove_temporary_folders();
  remove_empty_output_folders();
  kill_line_programs();
}

extern "C" void interrupted(int signal) {
  clean_up();
  std::signal(signal, SIG_DFL);  // and die of it, so that the caller sees why
  raise(signal);
}

extern "C" void out_of_time(int) {
  clean_up();
  (void)!write(STDERR_FILENO, time_is_up.data(), time_is_up.size());
  _exit(kNotDecided);
}

void end_after(const std::string& text) {
  // Of a line of progress.
  const char* const erase = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  time_is_up = fmt::format(
      "{}logdepth: --seconds {}: the time is up; what was printed before stands\n", erase, text);
  static char lines[1 << 16];
  (void)std::setvbuf(stdout, lines, _IOLBF, sizeof lines);  // so that no answer ends in the middle
  std::signal(SIGALRM, out_of_time);
  const double seconds = std::stod(text);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  // At least a microsecond: none at all would be no timer.
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(std::ceil((seconds - std::floor(seconds)) * 999999));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void clean_up_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, interrupted);
}

void add_time_limit(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--seconds", end_after,
          "seconds that the command may take; it ends with exit status 3 when they are over")
      ->check(amount_up_to(kMostSeconds, "seconds", "SECONDS"));
}

}  // namespace logdepth
