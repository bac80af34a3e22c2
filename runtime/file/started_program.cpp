#include "runtime/file/started_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "logdepth/errors.hpp"
#include "logdepth/interruption.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

/// Signals wait while a program is started. Between fork and exec it has the handlers of this one,
/// which would take a signal that is meant for it and forget it.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// In the new process: what was handled ends it, what was ignored is ignored, as after exec.
  void let_end() const {
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN)
        std::signal(signal, SIG_DFL);
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t before_{};
};

}  // namespace

StartedProgram start_program(std::vector<std::string> command, const std::vector<int>& kept,
                             ProgramErrors errors) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw InputError(std::string("no pipe can be opened: ") + std::strerror(errno));
  const pid_t parent = getpid();
  const HeldSignals held;
  const StartedProgram started{fork(), ends[0]};
  if (started.pid == 0) {
    held.let_end();
    // It does not outlive the command that started it, not even one that is killed by now.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);
    dup2(ends[1], STDOUT_FILENO);
    if (errors == ProgramErrors::pipe) dup2(ends[1], STDERR_FILENO);
    if (errors == ProgramErrors::dropped) dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    for (const int one : kept) fcntl(one, F_SETFD, 0);  // not closed when the program starts
    execvp(words[0], words.data());
    _exit(kNotLoaded);
  }
  close(ends[1]);
  if (started.pid < 0) {
    const int failure = errno;
    close(ends[0]);
    throw InputError(command.front() + ": cannot be started: " + std::strerror(failure));
  }
  return started;
}

std::string read_to_end(const StartedProgram& program) {
  std::string said;
  char text[4096];
  pollfd waiting{program.pipe, POLLIN, 0};
  try {
    while (true) {
      look_for_interruption();
      if (poll(&waiting, 1, 50) <= 0) continue;
      const ssize_t got = ::read(program.pipe, text, sizeof text);
      if (got <= 0) return said;
      said.append(text, static_cast<std::size_t>(got));
    }
  } catch (...) {
    kill(program.pid, SIGKILL);
    wait_for_end(program);
    throw;
  }
}

int wait_for_end(const StartedProgram& program) {
  close(program.pipe);
  int status = 0;
  while (waitpid(program.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}}  // namespace logdepth::runtime_file
