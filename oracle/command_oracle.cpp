#include "oracle/command_oracle.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/quoted_text.hpp"
#include "base/text_lines.hpp"
#include "logdepth/errors.hpp"

namespace logdepth { inline namespace oracle {
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

/// The two ends of what a program writes.
struct Ends {
  int ours = -1, theirs = -1;
};

/// None where the system has no pseudo-terminals, as a container without /dev/pts.
std::optional<Ends> open_terminal() {
  Ends ends;
  char name[64];
  ends.ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ends.ours < 0) return std::nullopt;
  if (grantpt(ends.ours) == 0 && unlockpt(ends.ours) == 0 &&
      ptsname_r(ends.ours, name, sizeof name) == 0)
    ends.theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (ends.theirs < 0 || tcgetattr(ends.theirs, &settings) != 0) {
    close(ends.ours);
    if (ends.theirs >= 0) close(ends.theirs);
    return std::nullopt;
  }
  cfmakeraw(&settings);  // lines as they are written
  tcsetattr(ends.theirs, TCSANOW, &settings);
  return ends;
}

Ends open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("no pipe");
  return {ends[0], ends[1]};
}

}  // namespace

void kill_line_programs() noexcept {
  for (const std::atomic<pid_t>& place : running)
    if (const pid_t pid = place; pid > 0) kill(-pid, SIGKILL);
}

/// A program in a process of its own that is asked by lines and answers each with a line. It reads
/// them from its standard input; its standard output is a pseudo-terminal, because programs write
/// whole lines to a terminal and large blocks to a pipe, and would otherwise keep their answers to
/// themselves. Where the system has none it is a pipe, to which Python is told to write at once. Its standard error is ours. It and what it starts are one group of processes, which is
/// told to end, and after a second killed, when we are done.
class LineProgram {
 public:
  /// `command` is read by the shell: `./oracle.py --slow`. What is wrong with it shows when it is
  /// asked first.
  explicit LineProgram(std::string command) : command_(std::move(command)) {
    // A socket, because writing to it when the program has ended can be had without a signal.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("no socket");
    const std::optional<Ends> terminal = open_terminal();
    const Ends written = terminal ? *terminal : open_pipe();
    through_pipe_ = !terminal;
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
      dup2(written.theirs, STDOUT_FILENO);
      if (through_pipe_) setenv("PYTHONUNBUFFERED", "1", 1);
      execl("/bin/sh", "sh", "-c", command_.c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    close(written.theirs);
    questions_ = ends[0];
    answers_ = written.ours;
    if (pid_ < 0) fail("no process can be started");
    setpgid(pid_, pid_);  // whoever comes first
    note_running(pid_);
    send(questions_, "", 1, MSG_NOSIGNAL);
  }

  ~LineProgram() { stop(); }

  LineProgram(const LineProgram&) = delete;
  LineProgram& operator=(const LineProgram&) = delete;

  const std::string& command() const { return command_; }
  /// Its answer, without the end of the line. Errors: InputError naming the command and the question
  /// when it ends before it answers, answers nothing for a minute, or has written more lines than
  /// there were questions.
  std::string ask(const std::string& question) {
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
        refuse(question,
               fmt::format("found none in {} s; does it write its answer out after every "
                           "line?{}",
                           kSecondsForAnAnswer,
                           through_pipe_ ? " Most programs do to a terminal only, and here "
                                           "none can be opened: mount devpts at /dev/pts"
                                         : ""));
    }
    std::string answer = read_.substr(0, end);
    read_.erase(0, end + 1);
    while (!answer.empty() && (answer.back() == '\r' || answer.back() == ' ')) answer.pop_back();
    return answer;
  }

 private:
  [[noreturn]] void refuse(const std::string& question, const std::string& found) const {
    throw InputError(fmt::format("command {}, input {}: expected a line, {}", in_quotes(command_),
                                 in_quotes(question), found));
  }

  [[noreturn]] void refuse_end(const std::string& question) {
    const std::optional<int> status = status_within(500);
    if (!status) refuse(question, "it closed its output");
    refuse(question, WIFSIGNALED(*status)
                         ? fmt::format("it ended by signal {}", WTERMSIG(*status))
                         : fmt::format("it ended with status {}", WEXITSTATUS(*status)));
  }

  /// Adds to `read_` what there is, waiting so long for it; false where there is nothing.
  bool read_more(int milliseconds, const std::string& question) {
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
    if (got <= 0) refuse_end(question);  // the other end, which nobody has open any more
    read_.append(text, static_cast<std::size_t>(got));
    return true;
  }

  void stop() {
    if (questions_ >= 0) close(std::exchange(questions_, -1));
    if (answers_ >= 0) close(std::exchange(answers_, -1));
    if (pid_ < 0) return;
    kill(-pid_, SIGTERM);
    if (status_within(1000)) return;
    kill(-pid_, SIGKILL);
    while (!status_within(1000)) {
    }
  }

  /// How it ended, if it does in that time.
  std::optional<int> status_within(int milliseconds) {
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

  std::string command_;
  pid_t pid_ = -1;
  int questions_ = -1, answers_ = -1;
  bool through_pipe_ = false;  ///< no pseudo-terminal can be opened
  std::string read_;           ///< and not yet an answer
};

namespace {

/// The answer as yes or no.
bool verdict(LineProgram& program, const std::string& question, const std::string& yes,
             const std::string& no) {
  const std::string answer = program.ask(question);
  const std::string small = lower_case(answer);
  if (small == yes || small == "1" || small == "true") return true;
  if (small == no || small == "0" || small == "false") return false;
  throw InputError(fmt::format("command {}, input {}: expected '{}' or '{}', found {}",
                               in_quotes(program.command()), in_quotes(question), yes, no,
                               in_quotes(answer)));
}

class CommandOracle : public LanguageOracle {
 public:
  CommandOracle(const std::string& command, Alphabet alphabet)
      : program_(command), alphabet_(std::move(alphabet)) {}

  const Alphabet& alphabet() const override { return alphabet_; }
  bool accepts(const Word& word) const override {
    return verdict(program_, alphabet_.format_word(word), "accept", "reject");
  }
  std::optional<std::string> named_values(const Word& word) const override {
    return program_.ask(alphabet_.format_word(word));
  }
  std::string name() const override { return kCommandOracle + program_.command(); }

 private:
  mutable LineProgram program_;  // it is asked, and is as it was
  Alphabet alphabet_;
};

}  // namespace

std::unique_ptr<LanguageOracle> make_command_oracle(const std::string& command, Alphabet alphabet) {
  return std::make_unique<CommandOracle>(command, std::move(alphabet));
}

ReachabilityQuestion make_command_reachability(const std::string& command) {
  return [program = std::make_shared<LineProgram>(command)](const Graph& graph, Vertex source,
                                                            Vertex target) {
    std::string question = fmt::format("{} {} {}", graph.size(), source, target);
    for (Vertex from = 0; from < graph.size(); ++from)
      for (Vertex to = 0; to < graph.size(); ++to)
        if (graph.has_edge(from, to)) question += fmt::format(" {} {}", from, to);
    return verdict(*program, question, "connected", "not connected");
  };
}

}}  // namespace logdepth::oracle
