#include "cli/early_end.hpp"

#include <fmt/core.h>
#include <gmp.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"
#include "oracle/line_program.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline cli {
namespace {

constexpr std::uint64_t kMostSeconds = 100000000;  // three years
/// That an end waits for a reader of standard output.
constexpr unsigned kPatience = 5;

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM};
/// Reasons that are no signals.
constexpr int kNone = 0, kOutOfMemory = -1, kDefect = -2;

/// Why the program ends: what came first. An end that comes while something is written sets it and
/// leaves the rest to the writer; each of the two looks after it has said what it does, so that one
/// of them sees the other.
std::atomic<int> reason = kNone;
std::atomic<bool> writing = false, ending = false;

/// Made before the signal comes: its handler may not allocate. Not a string: one is destroyed before
/// the last signal can come.
std::array<char, 512> time_is_up{};

void say(std::string_view sentence) {
  (void)!write(STDERR_FILENO, sentence.data(), sentence.size());
}

/// Ends the program for the reason; returns where another thread does that already.
void end() {
  if (ending.exchange(true)) return;
  remove_unfinished_files();
  remove_temporary_folders();
  remove_empty_output_folders();
  kill_line_programs();
  const int why = reason;
  if (why == SIGALRM && time_is_up[0] != 0) {
    say(time_is_up.data());
    _exit(kNotDecided);
  }
  if (why == kOutOfMemory) {
    say("logdepth: out of memory\n");
    _exit(kNotDecided);
  }
  if (why == kDefect) std::abort();
  // Dies of the signal, so that the caller sees why.
  std::signal(why, SIG_DFL);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, why);
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  raise(why);
}

/// For whoever cannot go on.
[[noreturn]] void wait_for_the_end() {
  while (true) pause();
}

/// Whether this is the first reason, and has to wait for a writer.
bool waits(int why) {
  int none = kNone;
  const bool first = reason.compare_exchange_strong(none, why);
  if (!first || !writing) return false;
  alarm(kPatience);  // in place of what is left of --seconds
  return true;
}

extern "C" void ended_by(int signal) {
  if (!waits(signal)) end();
}

[[noreturn]] void end_here(int why) {
  if (!waits(why)) end();
  wait_for_the_end();
}

/// GMP has no way to say that there is no memory: by itself it aborts.
void* allocated(void* memory) {
  if (memory == nullptr) end_here(kOutOfMemory);
  return memory;
}
void* allocate(std::size_t bytes) {
  return allocated(std::malloc(bytes));
}
void* reallocate(void* memory, std::size_t, std::size_t bytes) {
  return allocated(std::realloc(memory, bytes));
}
void release(void* memory, std::size_t) {
  std::free(memory);
}

/// An exception that may not leave where it was thrown: of a move or a destructor, mostly for want
/// of memory.
[[noreturn]] void not_caught() {
  try {
    if (const auto thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_here(kOutOfMemory);
  } catch (const std::exception& error) {
    say("logdepth: internal error, please report it: ");
    say(error.what());
    say("\n");
  } catch (...) {
  }
  end_here(kDefect);
}

void end_after(const std::string& text) {
  // Of a line of progress.
  const char* const erase = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  const std::string sentence = fmt::format(
      "{}logdepth: --seconds {}: time limit exceeded; the output before this line is valid\n",
      erase, printable(text));
  std::memcpy(time_is_up.data(), sentence.c_str(),
              std::min(sentence.size(), time_is_up.size() - 1));
  const double seconds = std::stod(text);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  // At least a microsecond: none at all would be no timer.
  timer.it_value.tv_usec =
      static_cast<suseconds_t>(std::ceil((seconds - std::floor(seconds)) * 999999));
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void prepare_early_ends() {
  struct sigaction action {};
  action.sa_handler = ended_by;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : kEnding) sigaddset(&action.sa_mask, signal);
  for (const int signal : kEnding) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // Who started this may have chosen to ignore one, as nohup does; the timer is our own.
    if (signal == SIGALRM || before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  sigset_t timer;
  sigemptyset(&timer);
  sigaddset(&timer, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &timer, nullptr);
  mp_set_memory_functions(allocate, reallocate, release);
  std::set_terminate(not_caught);
}

void end_time_limit() {
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);
}

void add_time_limit(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--seconds", end_after,
          "time limit of the command in seconds; exit status 3 when it is reached")
      ->check(amount_up_to(kMostSeconds, "seconds", "SECONDS"));
}

WithoutEnd::WithoutEnd() {
  writing = true;
  if (reason == kNone) return;
  end();
  wait_for_the_end();
}

WithoutEnd::~WithoutEnd() {
  writing = false;
  if (reason == kNone) return;
  end();
  wait_for_the_end();
}

}  // namespace logdepth::inline cli
