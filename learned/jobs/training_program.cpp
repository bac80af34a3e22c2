#include "learned/jobs/training_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "base/exit_status.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_jobs {
namespace {

/// What the loader of programs ends with, as a shell that finds none.
constexpr int kNotLoaded = 127;

std::string training_program() {
  namespace fs = std::filesystem;
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "logdepth-train";
  if (access(program.c_str(), X_OK) != 0)
    throw InputError(
        "this needs libtorch, which this logdepth was built without: install libtorch-dev (on "
        "Debian), then configure and build again");
  return program.string();
}

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

void expect_training_program() {
  training_program();
}

StartedProgram start_training_program(std::vector<std::string> arguments,
                                      const std::vector<int>& kept) {
  const std::string program = training_program();
  arguments.insert(arguments.begin(), program);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw InputError(std::string("no pipe can be opened: ") + std::strerror(errno));
  const pid_t parent = getpid();
  const HeldSignals held;
  const StartedProgram started{fork(), ends[0]};
  if (started.pid == 0) {
    held.let_end();
    // A run does not outlive the command that started it, not even one that is killed by now.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(128 + SIGTERM);
    dup2(ends[1], STDOUT_FILENO);
    for (const int one : kept) fcntl(one, F_SETFD, 0);  // not closed when the program starts
    execv(words[0], words.data());
    _exit(kNotLoaded);
  }
  close(ends[1]);
  if (started.pid < 0) throw InputError(program + ": cannot be started: " + std::strerror(errno));
  return started;
}

int finish(const StartedProgram& program) {
  close(program.pipe);
  int status = 0;
  while (waitpid(program.pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    std::cerr << "logdepth: the training program was killed, as the system does where there is no "
                 "more memory\n";
    return kNotDecided;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotLoaded) {
    std::cerr << "logdepth: the training program cannot be loaded\n";  // the loader has said why
    return kBadInput;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

ProgramOutput output_of_training_program(
    std::vector<std::string> arguments,
    const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const StartedProgram program = start_training_program(std::move(arguments));
  ProgramOutput output;
  std::size_t line = 0;  // where the line begins that is being read
  char text[4096];
  while (true) {
    const ssize_t got = read(program.pipe, text, sizeof text);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    output.text.append(text, static_cast<std::size_t>(got));
    if (!progress) continue;
    for (std::size_t end = output.text.find('\n', line); end != std::string::npos;
         end = output.text.find('\n', line)) {
      std::size_t done = 0, total = 0;
      if (std::sscanf(output.text.c_str() + line, "%zu %zu", &done, &total) == 2) {
        output.text.erase(line, end + 1 - line);
        progress(done, total);
      } else {
        line = end + 1;
      }
    }
  }
  output.status = finish(program);
  return output;
}

}  // namespace logdepth::inline learned_jobs
