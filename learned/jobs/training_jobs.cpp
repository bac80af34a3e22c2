#include "learned/jobs/training_jobs.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/quoted_text.hpp"
#include "learned/jobs/folder_lock.hpp"
#include "learned/jobs/run_folder.hpp"
#include "learned/jobs/training_program.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

/// One run in a process of its own, which says on a pipe how far it is.
struct Process {
  const PlannedRun* run = nullptr;
  std::string folder;
  FolderLock lock;
  StartedProgram program;
  std::string pending;  ///< the beginning of a line
  std::string latest;   ///< its latest line
};

void say_done_before(const PlannedRun& run) {
  std::cerr << run.name << ": done before\n";
}

/// Absent where another command has finished the run by now. Errors: InputError where one is at work
/// in the folder, or it holds another run.
std::optional<Process> start(const PlannedRun& run, const JobOptions& options) {
  const std::string folder = options.out + "/" + run.name;
  FolderLock lock(folder);
  if (finished_record(run, folder)) {
    say_done_before(run);
    return std::nullopt;
  }
  const std::string config = folder + "/" + kRunConfigFile;
  write_whole_file(config, to_json(run.config).dump(1) + "\n");
  // The process holds the lock as well, so that it lasts until nobody writes there any more.
  StartedProgram program =
      start_training_program({config, "--out", folder, "--device", options.device, "--threads",
                              std::to_string(options.threads)},
                             lock.descriptor());
  return Process{&run, folder, std::move(lock), program, {}, {}};
}

/// Takes what the process has said; false at its end.
bool listen(Process& process) {
  char text[4096];
  const ssize_t got = read(process.program.pipe, text, sizeof text);
  if (got <= 0) return false;
  process.pending.append(text, static_cast<std::size_t>(got));
  const std::size_t end = process.pending.rfind('\n');
  if (end == std::string::npos) return true;
  const std::size_t begin = process.pending.rfind('\n', end == 0 ? 0 : end - 1);
  const std::size_t from = begin == std::string::npos || begin == end ? 0 : begin + 1;
  process.latest = process.pending.substr(from, end - from);
  process.pending.erase(0, end + 1);
  return true;
}

/// A run that was refused before its first checkpoint leaves nothing, not even empty folders.
void forget(const Process& process, const std::string& out) {
  const fs::path folder = process.folder;
  for (const char* file : {kCheckpointFile, kRecordFile})
    if (fs::exists(folder / file)) return;
  fs::remove(folder / kRunConfigFile);
  fs::remove(lock_file(process.folder));
  std::error_code not_empty;
  for (fs::path at = folder; at != fs::path(out).parent_path() && fs::remove(at, not_empty);)
    at = at.parent_path();
}

class StatusLine {
 public:
  ~StatusLine() { clear(); }
  void show(const std::vector<Process>& running, std::size_t done, std::size_t total) {
    if (!terminal_ || running.empty()) return;
    const Process& process = running[turn_++ / 4 % running.size()];
    if (process.latest.empty()) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%zu of %zu runs done; %s: %s", done, total,
                 process.run->name.c_str(), process.latest.c_str());
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
  std::size_t turn_ = 0;
};

std::atomic<int> received = 0;

extern "C" void remember(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);  // a second one ends the program at once
}

/// Runs write a checkpoint when they are told to end; who asked for them waits for it, so that the
/// same command finds it. Who told this program may have told them too, as Slurm does, and the same
/// signal twice would end them at once.
[[noreturn]] void end_with(const std::vector<Process>& running) {
  for (const Process& process : running)
    kill(process.program.pid, received == SIGTERM ? SIGHUP : SIGTERM);
  for (const Process& process : running) finish(process.program);
  std::signal(received, SIG_DFL);
  raise(received);
  std::abort();  // not reached: the default of these signals ends a program
}

}  // namespace

int carry_out(const TrainingPlan& plan, const JobOptions& options) {
  expect_training_program();
  std::vector<const PlannedRun*> waiting;
  for (const PlannedRun& run : plan)
    if (finished_record(run, options.out + "/" + run.name)) {
      say_done_before(run);
    } else {
      waiting.push_back(&run);
    }
  std::reverse(waiting.begin(), waiting.end());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, remember);

  StatusLine line;
  std::vector<Process> running;
  std::size_t done = plan.size() - waiting.size();
  int worst = 0;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < options.jobs) {
      const PlannedRun& run = *waiting.back();
      waiting.pop_back();
      try {
        if (auto process = start(run, options)) {
          running.push_back(std::move(*process));
          continue;
        }
      } catch (const InputError& error) {  // the other runs go on
        line.clear();
        std::cerr << "logdepth: " << printable(error.what(), kMostPrinted) << '\n';
        worst = std::max(worst, 2);
      }
      ++done;
    }
    if (running.empty()) continue;
    std::vector<pollfd> polled;
    for (const Process& process : running) polled.push_back({process.program.pipe, POLLIN, 0});
    const int ready = poll(polled.data(), polled.size(), 1000);
    if (received != 0) {
      line.clear();
      end_with(running);
    }
    if (ready <= 0) continue;
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0 || listen(running[i])) continue;
      const int status = finish(running[i].program);
      line.clear();
      if (status == 0)
        std::cerr << running[i].run->name << ": "
                  << outcome(read_run_record(running[i].folder + "/" + kRecordFile)) << '\n';
      else if (status > 3)  // below, it has said why itself
        std::cerr << "logdepth: " << running[i].run->name << ": the training program stopped with "
                  << "exit status " << status << '\n';
      if (status == 2) forget(running[i], options.out);
      worst = std::max(worst, status);
      ++done;
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    line.show(running, done, plan.size());
  }
  return worst;
}

}  // namespace logdepth::inline learned_jobs
