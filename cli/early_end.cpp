#include "cli/early_end.hpp"

#include <fmt/core.h>
#include <gmp.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <streambuf>
#include <string>
#include <string_view>

#include "base/quoted_text.hpp"
#include "cli/commands.hpp"
#include "logdepth/errors.hpp"
#include "oracle/command_oracle.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace cli {
namespace {

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

/// While something is written, a signal does not end the program but waits, at most a few seconds (the reader of a pipe
/// may have stopped reading) and not after a second signal.
void set_writing(bool now) {
  writing = now;
  if (reason == kNone) return;
  end();
  wait_for_the_end();
}

/// Holds a text until its end, then writes it where nothing comes between.
class WholeTexts : public std::streambuf {
 public:
  /// Lines are written by themselves where more than so many bytes are held.
  WholeTexts(int descriptor, std::size_t most_held)
      : descriptor_(descriptor), most_held_(most_held) {}

  void hold(std::size_t most) { most_held_ = most; }
  void drop() { held_.clear(); }
  /// Of the first byte that could not be written; 0: all of them could.
  int error() const { return error_; }

 protected:
  int_type overflow(int_type next) override {
    if (traits_type::eq_int_type(next, traits_type::eof())) return traits_type::not_eof(next);
    const char c = traits_type::to_char_type(next);
    return xsputn(&c, 1) == 1 ? next : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    try {
      held_.append(bytes, static_cast<std::size_t>(count));
    } catch (const std::bad_alloc&) {
      error_ = ENOMEM;
      return 0;
    }
    if (held_.size() > most_held_) write_out(whole_lines());
    return error_ == 0 ? count : 0;
  }
  int sync() override {
    write_out(held_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  /// The length of all lines that are whole.
  std::size_t whole_lines() const {
    const std::size_t last = held_.rfind('\n');
    return last == std::string::npos ? 0 : last + 1;
  }

  void write_out(std::size_t bytes) {
    set_writing(true);
    std::size_t written = 0;
    while (written < bytes && error_ == 0) {
      const ssize_t more = write(descriptor_, held_.data() + written, bytes - written);
      if (more >= 0) {
        written += static_cast<std::size_t>(more);
      } else if (errno == EAGAIN) {  // whoever shares the stream does not wait, this program does
        pollfd room{descriptor_, POLLOUT, 0};
        (void)poll(&room, 1, -1);
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    held_.erase(0, bytes);
    set_writing(false);
  }

  int descriptor_, error_ = 0;
  std::size_t most_held_;
  std::string held_;
};

constexpr std::size_t kManyLines = std::size_t{1} << 16;

// Never destroyed: streams are flushed when everything else is gone.
WholeTexts& standard_output() {
  static WholeTexts* const texts = new WholeTexts(STDOUT_FILENO, std::string::npos);
  return *texts;
}
WholeTexts& standard_error() {
  static WholeTexts* const texts = new WholeTexts(STDERR_FILENO, 0);
  return *texts;
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

void add_time_limit(CLI::App& command, const CLI::Validator& amount) {
  command
      .add_option_function<std::string>(
          "--seconds", end_after,
          "time limit of the command in seconds; exit status 3 when it is reached")
      ->check(amount);
}

void print_whole_answers() {
  std::cout.rdbuf(&standard_output());
  std::cerr.rdbuf(&standard_error());
  std::cerr.unsetf(std::ios_base::unitbuf);
  std::cerr.tie(nullptr);
}

void print_by_lines() {
  standard_output().hold(kManyLines);
}

void write_out_answers() {
  std::cout.flush();
  if (std::cout) return;
  const int error = standard_output().error();
  if (error == ENOMEM) throw std::bad_alloc();
  throw InputError(std::string("standard output cannot be written") +
                   (error == 0 ? "" : std::string(": ") + std::strerror(error)));
}

void drop_unfinished_answer() {
  standard_output().drop();
}

}}  // namespace logdepth::cli
