#include "oracle/line_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline oracle {
namespace {

constexpr int kSecondsForAnAnswer = 60;
constexpr int kPollMilliseconds = 10;
constexpr std::size_t kLongestAnswer = std::size_t{1} << 20;

/// Those that run, by number of process, for kill_line_programs; 0: a free place.
std::array<std::atomic<pid_t>, 8> running{};

void note_running(pid_t pid) {
  for (std::atomic<pid_t>& place : running) {
    pid_t free = 0;
    if (place.compare_exchange_strong(free, pid)) return;
  }
}

void note_ended(pid_t pid) {
  for (std::atomic<pid_t>& place : running)
    if (place == pid) place = 0;
}

[[noreturn]] void fail(const char* what) {
  throw InputError(std::string(what) + " for the command of --against: " + std::strerror(errno));
}

struct Terminal {
  int ours = -1, theirs = -1;
};

Terminal open_terminal() {
  Terminal terminal;
  char name[64];
  terminal.ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal.ours < 0 || grantpt(terminal.ours) != 0 || unlockpt(terminal.ours) != 0 ||
      ptsname_r(terminal.ours, name, sizeof name) != 0)
    fail("no pseudo-terminal can be opened");
  terminal.theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (terminal.theirs < 0 || tcgetattr(terminal.theirs, &settings) != 0)
    fail("no pseudo-terminal can be opened");
  cfmakeraw(&settings);  // lines as they are written
  tcsetattr(terminal.theirs, TCSANOW, &settings);
  return terminal;
}

}  // namespace

LineProgram::LineProgram(std::string command) : command_(std::move(command)) {
  // A socket, because writing to it when the program has ended can be had without a signal.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no socket");
  const Terminal terminal = open_terminal();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ})
      std::signal(signal, SIG_DFL);
    setpgid(0, 0);  // the shell and what it starts are ended together
    // Nothing is started before it is noted: it could outlive us.
    close(ends[0]);
    char noted = 0;
    if (read(ends[1], &noted, 1) != 1) _exit(127);
    dup2(ends[1], STDIN_FILENO);
    dup2(terminal.theirs, STDOUT_FILENO);
    execl("/bin/sh", "sh", "-c", command_.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  close(terminal.theirs);
  questions_ = ends[0];
  answers_ = terminal.ours;
  if (pid_ < 0) fail("no process can be started");
  setpgid(pid_, pid_);  // whoever comes first
  note_running(pid_);
  send(questions_, "", 1, MSG_NOSIGNAL);
}

LineProgram::~LineProgram() {
  stop();
}

std::optional<int> LineProgram::status_within(int milliseconds) {
  for (int waited = 0;; waited += kPollMilliseconds) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      kill(-pid_, SIGKILL);  // what is left of the group
      note_ended(std::exchange(pid_, -1));
      return status;
    }
    if (waited >= milliseconds) return std::nullopt;
    usleep(kPollMilliseconds * 1000);
  }
}

void LineProgram::stop() {
  if (questions_ >= 0) close(std::exchange(questions_, -1));
  if (answers_ >= 0) close(std::exchange(answers_, -1));
  if (pid_ < 0) return;
  kill(-pid_, SIGTERM);
  if (status_within(1000)) return;
  kill(-pid_, SIGKILL);
  while (!status_within(1000)) {
  }
}

void kill_line_programs() noexcept {
  for (const std::atomic<pid_t>& place : running)
    if (const pid_t pid = place; pid > 0) kill(-pid, SIGKILL);
}

void LineProgram::refuse(const std::string& question, const std::string& found) const {
  throw InputError(fmt::format("command {}, input {}: expected a line, {}", in_quotes(command_),
                               in_quotes(question), found));
}

void LineProgram::refuse_end(const std::string& question) {
  const std::optional<int> status = status_within(500);
  if (!status) refuse(question, "it closed its output");
  refuse(question, WIFSIGNALED(*status)
                       ? fmt::format("it ended by signal {}", WTERMSIG(*status))
                       : fmt::format("it ended with status {}", WEXITSTATUS(*status)));
}

bool LineProgram::read_more(int milliseconds, const std::string& question) {
  pollfd waiting{answers_, POLLIN, 0};
  int ready = 0;
  do {
    ready = poll(&waiting, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return false;
  char text[4096];
  ssize_t got = 0;
  do {
    got = read(answers_, text, sizeof text);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) refuse_end(question);  // a terminal that nobody has open any more
  read_.append(text, static_cast<std::size_t>(got));
  return true;
}

std::string LineProgram::ask(const std::string& question) {
  if (!read_.empty() || read_more(0, question))
    refuse(question, fmt::format("but it had written {} before, more than one line for the last "
                                 "question",
                                 in_quotes(read_.substr(0, read_.find('\n')))));
  const std::string line = question + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t part = send(questions_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) refuse_end(question);
    sent += static_cast<std::size_t>(part);
  }
  std::size_t end = 0;
  while ((end = read_.find('\n')) == std::string::npos) {
    if (read_.size() > kLongestAnswer)
      refuse(question, fmt::format("found more than {} characters", kLongestAnswer));
    if (!read_more(kSecondsForAnAnswer * 1000, question))
      refuse(question, fmt::format("found none in {} s; does it write its answer out after every "
                                   "line?",
                                   kSecondsForAnAnswer));
  }
  std::string answer = read_.substr(0, end);
  read_.erase(0, end + 1);
  while (!answer.empty() && (answer.back() == '\r' || answer.back() == ' ')) answer.pop_back();
  return answer;
}

}  // namespace logdepth::inline oracle
