#include "learned/jobs/training_jobs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "base/exit_status.hpp"
#include "base/quoted_text.hpp"
#include "learned/records/task.hpp"
#include "learned/report/series.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/started_program.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace learned_jobs {
namespace {

namespace fs = std::filesystem;

/// What keeps one configuration from going on as another, in words: the first of the settings that
/// differ, the budget last, since it matters only where nothing else does.
std::string difference(const RunConfig& there, const RunConfig& here) {
  const Settings left = flat_settings(to_json(there)), right = flat_settings(to_json(here));
  const auto differs = [&](const std::string& name) {
    const auto value = [&](const Settings& settings) -> std::string {
      const auto found = settings.find(name);
      if (found == settings.end()) return "none";
      return found->second.is_string() ? found->second.get<std::string>() : found->second.dump();
    };
    return value(left) == value(right)
               ? std::string()
               : name + " is " + value(left) + " there, " + value(right) + " here";
  };
  Settings all = left;
  all.insert(right.begin(), right.end());
  const std::string steps = "training.steps", seconds = "training.seconds";
  for (const auto& [name, value] : all)
    if (name != steps && name != seconds)
      if (const std::string found = differs(name); !found.empty()) return found;
  if (const std::string found = differs(steps); !found.empty())
    return here.training.schedule == TrainingConfig::Schedule::cosine
               ? found + ", and a rate along a cosine is not continued"
               : found;
  return differs(seconds);
}

}  // namespace

std::optional<RunRecord> finished_record(const PlannedRun& run, const std::string& folder) {
  const std::string before = folder + "/" + kRunConfigFile;
  const std::string checkpoint = folder + "/" + kCheckpointFile;
  if (fs::exists(checkpoint) && fs::exists(before)) {
    if (const RunConfig there = read_run_config(before); !continues(there, run.config))
      throw InputError(before + ": expected the requested configuration, except for the budget: " +
                       difference(there, run.config) + "; choose another --out");
  }
  const std::string file = folder + "/" + kRecordFile;
  if (!fs::exists(file)) return std::nullopt;
  RunRecord record = read_run_record(file);
  const TrainingConfig &done = record.config.training, &asked = run.config.training;
  const bool ended_by_seconds = record.training.value("stopped", "") == "seconds";
  if (continues(record.config, run.config) && done.steps <= asked.steps &&
      (done.steps < asked.steps ||
       (ended_by_seconds && (asked.seconds == 0 || asked.seconds > done.seconds)))) {
    // It would begin anew and take the place of the finished run.
    if (!fs::exists(checkpoint))
      throw InputError(file + ": expected " + kCheckpointFile +
                       " beside it, which a longer run continues from; choose another --out");
    return std::nullopt;
  }
  if (to_json(record.config) != to_json(run.config))
    throw InputError(
        file +
        ": expected a run of the requested configuration, or one with fewer steps or seconds: " +
        difference(record.config, run.config) + "; choose another --out");
  return record;
}

bool diverged(const RunRecord& record) {
  return early_end(record).starts_with("diverged");
}

std::string outcome(const RunRecord& record) {
  if (diverged(record)) return "no result: " + early_end(record);
  const auto task = record.config.task->make_task(record.config.seed);
  return fmt::format("{}; {} steps, {:.1f} s, stopped by {}", task->summary(record.result),
                     record.training.value("steps", 0), record.training.value("seconds", 0.0),
                     record.training.value("stopped", "?"));
}

namespace {

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string this_process() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string text = fmt::format("process {} on {}", getpid(), host);
  const char *const job = getenv("SLURM_ARRAY_JOB_ID"), *const task = getenv("SLURM_ARRAY_TASK_ID");
  if (job && task) text += fmt::format(", task {} of Slurm's job {}", task, job);
  return text;
}

/// What the holder wrote after it had the lock; a reader may be faster.
std::string written_holder(const std::string& file) {
  const std::string text = read_whole_file(file);
  return text.empty() ? "another process" : text.substr(0, text.find('\n'));
}

std::string lock_file(const std::string& folder) {
  return folder + "/.lock";
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) {
  std::optional<OutputFolder> made_folders;  // go again where no lock stays in them
  try {
    made_folders.emplace(folder);
  } catch (const InputError&) {
    throw InputError(folder + ": expected a folder that can be made");
  }
  const std::string file = lock_file(folder);
  int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool made = descriptor >= 0;
  if (!made) descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw InputError(file + ": cannot be written: " + std::strerror(errno));
  struct flock lock = whole_file();
  if (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
    const int reason = errno;
    if (reason == EAGAIN || reason == EACCES) {
      close(descriptor);
      throw InputError(folder + ": another command is at work there (" + written_holder(file) +
                       "); wait for its end, or choose another --out");
    }
    std::cerr << "logdepth: " << folder << " cannot be locked (" << std::strerror(reason)
              << "); take care that no other command works there\n";
  }
  // Up to the line break first, so that a reader never sees less than a holder.
  const std::string holder = this_process() + "\n";
  const auto size = static_cast<ssize_t>(holder.size());
  const ssize_t written = write(descriptor, holder.data(), holder.size());
  if (written != size || ftruncate(descriptor, size) != 0) {
    const int reason = written >= 0 && written < size ? ENOSPC : errno;
    if (made) unlink(file.c_str());  // before the lock ends: nobody else has it
    close(descriptor);
    throw InputError(file + ": cannot be written: " + std::strerror(reason));
  }
  descriptor_ = descriptor;
  held_ = std::shared_ptr<void>(nullptr, [descriptor](void*) { close(descriptor); });
}

std::optional<std::string> holder_of(const std::string& folder) {
  const std::string file = lock_file(folder);
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock lock = whole_file();
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held ? std::optional(written_holder(file)) : std::nullopt;
}

namespace {

std::string training_program() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "logdepth-train";
  if (access(program.c_str(), X_OK) != 0)
    throw InputError(
        "this needs libtorch, which this logdepth was built without: install libtorch-dev (on "
        "Debian), then configure and build again");
  return program.string();
}

/// logdepth-train in a process of its own. Beside the standard streams it has the descriptors `kept`.
StartedProgram start_training_program(std::vector<std::string> arguments,
                                      const std::vector<int>& kept = {}) {
  arguments.insert(arguments.begin(), training_program());
  return start_program(std::move(arguments), kept);
}

/// Waits for its end. The exit status, as a shell has it; where the system did not let the program
/// say why it ended, this one says it, and it is one of those that commands end with.
int finish(const StartedProgram& program) {
  const int status = wait_for_end(program);
  if (status == 128 + SIGKILL) {
    std::cerr << "logdepth: the training program was killed, as the system does where there is no "
                 "more memory\n";
    return kNotDecided;
  }
  if (status == kNotLoaded) {
    std::cerr << "logdepth: the training program cannot be loaded\n";  // the loader has said why
    return kBadInput;
  }
  return status;
}

/// Gives the lines that a program has said by now to `take`; `pending` keeps the beginning of the next one. False at
/// the program's end.
bool take_lines(int pipe, std::string& pending,
                const std::function<void(const std::string& line)>& take) {
  char text[4096];
  ssize_t got = 0;
  while ((got = read(pipe, text, sizeof text)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return false;
  pending.append(text, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1)
    take(pending.substr(begin, end - begin));
  pending.erase(0, begin);
  return true;
}

}  // namespace

void expect_training_program() {
  training_program();
}

ProgramOutput output_of_training_program(
    std::vector<std::string> arguments,
    const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const StartedProgram program = start_training_program(std::move(arguments));
  ProgramOutput output;
  std::string pending;
  const auto take = [&](const std::string& line) {
    std::size_t done = 0, total = 0;
    if (progress && std::sscanf(line.c_str(), "%zu %zu", &done, &total) == 2) {
      progress(done, total);
    } else {
      output.text += line + "\n";
    }
  };
  while (take_lines(program.pipe, pending, take)) {
  }
  output.text += pending;
  output.status = finish(program);
  return output;
}

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

/// Of a run that is done before. A diverged one is a failure and stays one.
int said_before(const PlannedRun& run, const RunRecord& record) {
  if (!diverged(record)) {
    std::cerr << run.name << ": done before\n";
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
  return take_lines(process.program.pipe, process.pending,
                    [&](const std::string& line) { process.latest = line; });
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

/// How far the processes are, one after another: on a terminal in one line, elsewhere a line a minute.
class StatusLine {
 public:
  ~StatusLine() { clear(); }
  void show(const std::vector<Process>& running, std::size_t done, std::size_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (running.empty() ||
        now - last_ < (terminal_ ? std::chrono::seconds(1) : std::chrono::minutes(1)))
      return;
    const Process& process = running[turn_++ % running.size()];
    if (process.latest.empty()) return;
    last_ = now;
    shown_ = terminal_;
    std::fprintf(stderr, "%s%zu of %zu runs done; %s: %s%s", terminal_ ? "\r\033[K" : "", done,
                 total, process.name().c_str(), process.latest.c_str(), terminal_ ? "" : "\n");
    std::fflush(stderr);
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
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

}}  // namespace logdepth::learned_jobs
