#include "learned/jobs/training_jobs.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
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

/// Runs in one process, which says on a pipe how far it is.
struct Process {
  struct Run {
    const PlannedRun* run = nullptr;
    std::string folder;
    FolderLock lock;
  };
  std::vector<Run> runs;
  StartedProgram program;
  std::string pending;  ///< the beginning of a line
  std::string latest;   ///< its latest line

  std::string name() const {
    const std::string& first = runs.front().run->name;
    return runs.size() == 1 ? first
                            : first + " and " + std::to_string(runs.size() - 1) + " other seeds";
  }
};

/// Runs of a plan that are trained together.
using Group = std::vector<const PlannedRun*>;

void say_done_before(const PlannedRun& run) {
  std::cerr << run.name << ": done before\n";
}

/// Of a run that is done before. A diverged one is a failure and stays one.
int said_before(const PlannedRun& run, const RunRecord& record) {
  if (!diverged(record)) {
    say_done_before(run);
    return 0;
  }
  std::cerr << "logdepth: " << run.name << ": " << outcome(record)
            << "; remove its folder to train it again\n";
  return 1;
}

bool has_checkpoint(const PlannedRun& run, const JobOptions& options) {
  return fs::exists(options.out + "/" + run.name + "/" + kCheckpointFile);
}

/// Those that stack with one another, in the order of the plan. What goes on from a checkpoint is not
/// with what begins.
std::vector<Group> grouped(const std::vector<const PlannedRun*>& runs, const JobOptions& options) {
  std::vector<Group> groups;
  for (const PlannedRun* const run : runs) {
    const auto group = std::ranges::find_if(groups, [&](const Group& one) {
      return one.size() < options.together && stacks_with(one.front()->config, run->config) &&
             has_checkpoint(*one.front(), options) == has_checkpoint(*run, options);
    });
    if (group == groups.end()) {
      groups.push_back({run});
    } else {
      group->push_back(run);
    }
  }
  return groups;
}

/// The folder of a run, locked, with its configuration; absent where another command has finished the
/// run by now. Errors: InputError where one is at work in the folder, or it holds another run.
std::optional<Process::Run> prepared(const PlannedRun& run, const JobOptions& options) {
  const std::string folder = options.out + "/" + run.name;
  FolderLock lock(folder);
  if (const auto record = finished_record(run, folder)) {
    said_before(run, *record);
    return std::nullopt;
  }
  write_whole_file(folder + "/" + kRunConfigFile, to_json(run.config).dump(1) + "\n");
  return Process::Run{&run, folder, std::move(lock)};
}

/// Absent where nothing is left of the group. The runs of `refused` are those that cannot be trained.
/// `told`: an earlier process has warned of a slow library.
std::optional<Process> start(const Group& group, const JobOptions& options, bool told,
                             const std::function<void(const InputError&)>& refused) {
  Process process;
  for (const PlannedRun* const run : group) {
    try {
      if (auto one = prepared(*run, options)) process.runs.push_back(std::move(*one));
    } catch (const InputError& error) {  // the other runs go on
      refused(error);
    }
  }
  if (process.runs.empty()) return std::nullopt;
  const std::string& folder = process.runs.front().folder;
  std::vector<std::string> arguments = {
      folder + "/" + kRunConfigFile,  "--out", folder, "--device", options.device, "--threads",
      std::to_string(options.threads)};
  if (told) arguments.emplace_back("--told");
  std::vector<int> locks;
  for (const Process::Run& one : process.runs) {
    if (&one != &process.runs.front()) arguments.insert(arguments.end(), {"--beside", one.folder});
    locks.push_back(one.lock.descriptor());
  }
  // The process holds the locks as well, so that they last until nobody writes there any more.
  process.program = start_training_program(std::move(arguments), locks);
  return process;
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
void forget(const Process::Run& run, const std::string& out) {
  const fs::path folder = run.folder;
  for (const char* file : {kCheckpointFile, kRecordFile})
    if (fs::exists(folder / file)) return;
  fs::remove(folder / kRunConfigFile);
  fs::remove(folder / kLossesFile);
  fs::remove(lock_file(run.folder));
  std::error_code not_empty;
  for (fs::path at = folder; at != fs::path(out).parent_path() && fs::remove(at, not_empty);)
    at = at.parent_path();
}

/// One line on a terminal; elsewhere a line per process and minute.
class StatusLine {
 public:
  ~StatusLine() { clear(); }
  void show(const std::vector<Process>& running, std::size_t done, std::size_t total) {
    if (running.empty()) return;
    if (!terminal_) {
      const auto now = std::chrono::steady_clock::now();
      if (now - last_ < kBetweenLines) return;
      last_ = now;
      for (const Process& process : running)
        if (!process.latest.empty())
          std::fprintf(stderr, "%zu of %zu runs done; %s: %s\n", done, total,
                       process.name().c_str(), process.latest.c_str());
      return;
    }
    const Process& process = running[turn_++ / 4 % running.size()];
    if (process.latest.empty()) return;
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%zu of %zu runs done; %s: %s", done, total,
                 process.name().c_str(), process.latest.c_str());
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  static constexpr std::chrono::minutes kBetweenLines{1};

  bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
  std::size_t turn_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
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

namespace {

/// What came of the runs of a process that has ended so. Result: its status, or 1 where a run diverged.
int say_outcomes(const Process& process, int status, const JobOptions& options) {
  int worst = status;
  for (const Process::Run& one : process.runs) {
    if (status == 0) {
      const RunRecord record = read_run_record(one.folder + "/" + kRecordFile);
      std::cerr << (diverged(record) ? "logdepth: " : "") << one.run->name << ": "
                << outcome(record) << '\n';
      if (diverged(record)) worst = 1;
    }
    if (status == 2) forget(one, options.out);
  }
  if (status > 3)  // below, it has said why itself
    std::cerr << "logdepth: " << process.name() << ": the training program stopped with "
              << "exit status " << status << '\n';
  return worst;
}

}  // namespace

int carry_out(const TrainingPlan& plan, const JobOptions& options) {
  expect_training_program();
  StatusLine line;
  int worst = 0;
  const auto refused = [&](const InputError& error) {
    line.clear();
    std::cerr << "logdepth: " << printable(error.what(), kMostPrinted) << '\n';
    worst = std::max(worst, 2);
  };
  std::vector<const PlannedRun*> unfinished;
  for (const PlannedRun& run : plan) {
    try {
      if (const auto record = finished_record(run, options.out + "/" + run.name)) {
        worst = std::max(worst, said_before(run, *record));
      } else {
        unfinished.push_back(&run);
      }
    } catch (const InputError& error) {  // the other runs go on
      refused(error);
    }
  }
  std::size_t done = plan.size() - unfinished.size();
  std::vector<Group> waiting = grouped(unfinished, options);
  std::reverse(waiting.begin(), waiting.end());
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, remember);

  std::vector<Process> running;
  bool told = false;
  while (!waiting.empty() || !running.empty()) {
    while (!waiting.empty() && running.size() < options.jobs) {
      const Group group = waiting.back();
      waiting.pop_back();
      std::optional<Process> process = start(group, options, told, refused);
      done += group.size() - (process ? process->runs.size() : 0);
      if (!process) continue;
      running.push_back(std::move(*process));
      told = true;
    }
    if (running.empty()) continue;
    std::vector<pollfd> polled;
    for (const Process& process : running) polled.push_back({process.program.pipe, POLLIN, 0});
    const int ready = poll(polled.data(), polled.size(), 1000);
    if (received != 0) {
      line.clear();
      end_with(running);
    }
    if (ready <= 0) {
      line.show(running, done, plan.size());
      continue;
    }
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0 || listen(running[i])) continue;
      const int status = finish(running[i].program);
      line.clear();
      worst = std::max(worst, say_outcomes(running[i], status, options));
      done += running[i].runs.size();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
    }
    line.show(running, done, plan.size());
  }
  return worst;
}

}  // namespace logdepth::inline learned_jobs
