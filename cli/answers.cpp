#include "cli/answers.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <new>
#include <streambuf>
#include <string>

#include "cli/early_end.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline cli {
namespace {

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
    const WithoutEnd whole;
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

}  // namespace logdepth::inline cli
