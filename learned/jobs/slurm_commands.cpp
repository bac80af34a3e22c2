#include "learned/jobs/slurm_commands.hpp"

#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <vector>

#include "base/phrases.hpp"
#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

extern char** environ;

namespace logdepth::inline learned_jobs {
namespace {

struct Said {
  int status = 0;
  std::string out, err;
};

using AnonymousFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
AnonymousFile anonymous_file() {
  AnonymousFile file(std::tmpfile(), std::fclose);
  if (!file)
    throw InputError(std::string("no temporary file can be made: ") + std::strerror(errno));
  return file;
}

std::string content(std::FILE* file) {
  std::string bytes;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) bytes += static_cast<char>(c);
  return bytes;
}

/// Runs a program of the path to its end; absent where there is none of this name.
std::optional<Said> ask(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const AnonymousFile out = anonymous_file(), err = anonymous_file();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), STDERR_FILENO);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return Said{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
              content(out.get()), content(err.get())};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

/// "sbatch: error: invalid partition specified: x" and what else it says, in one line.
std::string sentence(const Said& said) {
  std::vector<std::string> parts;
  for (std::string line : lines_of(said.err)) {
    for (const std::string prefix : {"sbatch: ", "error: "})
      if (line.starts_with(prefix)) line.erase(0, prefix.size());
    parts.push_back(line);
  }
  return joined(parts, "; ");
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

std::optional<std::size_t> number(const std::string& text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && next == end ? std::optional(value) : std::nullopt;
}

/// "12_3|FAILED|2:0", as sacct prints it: exit status and signal.
void add_account(const std::string& line, SlurmTasks& tasks) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '|');) fields.push_back(field);
  if (fields.size() != 3) return;
  const auto place = fields[0].find('_'), code = fields[2].find(':');
  if (place == std::string::npos || code == std::string::npos) return;
  const auto task = number(fields[0].substr(place + 1));
  const auto status = number(fields[2].substr(0, code)),
             signal = number(fields[2].substr(code + 1));
  if (!task || !status || !signal) return;  // "12_[4-7]": those that squeue knows
  // "CANCELLED by 1000"
  tasks[{fields[0].substr(0, place), *task}] = {fields[1].substr(0, fields[1].find(' ')),
                                                static_cast<int>(*status),
                                                static_cast<int>(*signal), "", ""};
}

constexpr std::size_t kColumn = 24, kWideColumn = 60;

/// Columns of a fixed width, the last ones of names and sentences.
void add_queued(const std::string& line, const std::set<std::string>& jobs, SlurmTasks& tasks) {
  const auto column = [&](std::size_t begin, std::size_t width) {
    return begin < line.size() ? trimmed(line.substr(begin, width)) : "";
  };
  const std::string job = column(0, kColumn);
  const auto task = number(column(kColumn, kColumn));
  const auto raw = number(column(3 * kColumn, kColumn));
  if (!jobs.contains(job) || !task) return;
  const int status = static_cast<int>(raw.value_or(0));
  tasks[{job, *task}] = {column(2 * kColumn, kColumn), WIFEXITED(status) ? WEXITSTATUS(status) : 0,
                         WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                         column(4 * kColumn, kWideColumn),
                         column(4 * kColumn + kWideColumn, kWideColumn)};
}

}  // namespace

void expect_slurm() {
  if (!ask({"sbatch", "--version"}))
    throw InputError(
        "--slurm: expected Slurm's program sbatch on the path, as on a cluster's login node");
}

std::string submit_to_slurm(const std::string& script) {
  const auto said = ask({"sbatch", "--parsable", script});
  if (!said || said->status != 0)
    throw InputError("--slurm: sbatch refuses the job" +
                     (said ? ": " + sentence(*said) : std::string()));
  // "12", or "12;cluster"
  const std::string job = said->out.substr(0, said->out.find_first_of(";\n"));
  if (!number(job))
    throw InputError("--slurm: expected the number of a job of sbatch, found " + in_quotes(job));
  return job;
}

std::optional<SlurmTasks> slurm_tasks(const std::set<std::string>& jobs) {
  const auto queue = ask({"squeue", "--me", "--array", "--noheader", "--states=all",
                          fmt::format("--Format=ArrayJobID:{0},ArrayTaskID:{0},State:{0},exit_code:"
                                      "{0},NodeList:{1},Reason:{1}",
                                      kColumn, kWideColumn)});
  if (!queue || queue->status != 0) return std::nullopt;
  SlurmTasks tasks;
  const auto accounts =
      ask({"sacct", "--noheader", "--parsable2", "--allocations", "--format=JobID,State,ExitCode",
           "--jobs=" + joined({jobs.begin(), jobs.end()}, ",")});
  if (accounts && accounts->status == 0)
    for (const std::string& line : lines_of(accounts->out)) add_account(line, tasks);
  for (const std::string& line : lines_of(queue->out)) add_queued(line, jobs, tasks);
  return tasks;
}

}  // namespace logdepth::inline learned_jobs
