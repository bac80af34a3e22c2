// Plans carried out by Slurm itself: its daemons are started here, on two nodes that are this
// machine.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/command_line.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::slurm_cluster_tests { namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

/// A cluster of Slurm on this machine: a controller, two nodes of one processor each and the
/// daemon that vouches for who asks, on the loopback address, with a configuration, key and state of
/// its own. While it is there, this process and those it starts are on its login node.
class SlurmCluster {
 public:
  /// The program that is not installed; absent where all are.
  static std::optional<std::string> lacks();

  /// Returns when both nodes wait for jobs. Errors: std::runtime_error with the daemons' last words.
  SlurmCluster();
  /// Ends all jobs and all daemons.
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// Lines of squeue, as "12 3 RUNNING n1": job, task, state and node of every task that it knows.
  std::vector<std::string> tasks() const;
  /// Runs a program of Slurm and returns its output.
  std::string ask(std::vector<std::string> command) const;

 private:
  void start(const std::string& name, std::vector<std::string> command);
  void stop();
  bool both_nodes_wait() const;
  std::string last_words() const;

  support::TemporaryFolder folder_;
  std::vector<pid_t> daemons_;
};

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{30};

/// Daemons are not on every user's path.
std::optional<std::string> program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(std::string(path ? path : "") + ":/usr/sbin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string file = folder + "/" + name; access(file.c_str(), X_OK) == 0) return file;
  return std::nullopt;
}

/// Ports that nobody listens on.
std::vector<int> free_ports(std::size_t count) {
  std::vector<int> ports, sockets;
  while (ports.size() < count) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    sockets.push_back(descriptor);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no port is free");
    ports.push_back(ntohs(address.sin_port));
  }
  for (const int descriptor : sockets) close(descriptor);
  return ports;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return std::string(name).substr(0, std::string(name).find('.'));
}

/// {0} folder, {1} host, {2} user, {3} to {5} ports. What is requeued waits until its old credential has
/// expired: two minutes, if nothing else is said.
constexpr const char* kConfiguration = R"(ClusterName=logdepth
SlurmctldHost={1}(127.0.0.1)
SlurmctldPort={3}
SlurmUser={2}
SlurmdUser={2}
AuthType=auth/munge
AuthInfo=socket={0}/munge.socket,cred_expire=10
CredType=cred/munge
StateSaveLocation={0}/state
SlurmdSpoolDir={0}/%n
SlurmctldPidFile={0}/slurmctld.pid
SlurmdPidFile={0}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
KillWait=5
NodeName=n1 NodeHostname={1} NodeAddr=127.0.0.1 Port={4} CPUs=1 RealMemory=4096
NodeName=n2 NodeHostname={1} NodeAddr=127.0.0.1 Port={5} CPUs=1 RealMemory=4096
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
)";

bool eventually(const std::function<bool()>& holds) {
  for (const auto begin = Clock::now(); Clock::now() - begin < kPatience;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::optional<std::string> SlurmCluster::lacks() {
  for (const char* name :
       {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo"})
    if (!program(name)) return name;
  return std::nullopt;
}

SlurmCluster::SlurmCluster() {
  const std::string folder = folder_.path().string();
  const passwd* const user = getpwuid(geteuid());
  if (!user) throw std::runtime_error("this user has no name");
  const std::vector<int> ports = free_ports(3);
  folder_.write("slurm.conf", fmt::format(fmt::runtime(kConfiguration), folder, host_name(),
                                          user->pw_name, ports[0], ports[1], ports[2]));
  std::random_device random;
  std::string key;
  for (int i = 0; i < 128; ++i) key += static_cast<char>(random());
  folder_.write("munge.key", key);
  chmod(folder_.file("munge.key").c_str(), 0600);
  setenv("SLURM_CONF", folder_.file("slurm.conf").c_str(), 1);
  try {
    // The folder is closed to others, which munged does without --force only where it is open.
    start("munged",
          {"--foreground", "--force", "--key-file=" + folder + "/munge.key",
           "--socket=" + folder + "/munge.socket", "--pid-file=" + folder + "/munged.pid",
           "--log-file=" + folder + "/munged.log", "--seed-file=" + folder + "/munged.seed"});
    const bool vouched =
        eventually([&] { return access((folder + "/munge.socket").c_str(), F_OK) == 0; });
    if (!vouched) throw std::runtime_error("munged does not answer: " + last_words());
    start("slurmctld", {"-D"});
    start("slurmd", {"-D", "-N", "n1"});
    start("slurmd", {"-D", "-N", "n2"});
    if (!eventually([&] { return both_nodes_wait(); }))
      throw std::runtime_error("the nodes do not wait for jobs: " + last_words());
  } catch (...) {
    stop();
    throw;
  }
}

SlurmCluster::~SlurmCluster() {
  ask({"scancel", "--me"});
  // Daemons of tasks outlive those of nodes.
  eventually([&] { return ask({"squeue", "--me", "--noheader"}).empty(); });
  stop();
}

void SlurmCluster::start(const std::string& name, std::vector<std::string> command) {
  command.insert(command.begin(), program(name).value());
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const std::string log = folder_.file(fmt::format("{}-{}.log", daemons_.size(), name));
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process can be started");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever becomes of the test
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  daemons_.push_back(child);
}

void SlurmCluster::stop() {
  for (auto daemon = daemons_.rbegin(); daemon != daemons_.rend(); ++daemon) {
    kill(*daemon, SIGTERM);
    if (!eventually([&] { return waitpid(*daemon, nullptr, WNOHANG) != 0; })) {
      kill(*daemon, SIGKILL);
      waitpid(*daemon, nullptr, 0);
    }
  }
  unsetenv("SLURM_CONF");
}

bool SlurmCluster::both_nodes_wait() const {
  return ask({"sinfo", "--noheader", "--Node", "--format=%N %t"}) == "n1 idle\nn2 idle\n";
}

std::string SlurmCluster::last_words() const {
  std::string text;
  for (const std::string& name : folder_.names())
    if (name.ends_with(".log")) text += "\n" + name + ":\n" + folder_.read(name);
  return text;
}

std::vector<std::string> SlurmCluster::tasks() const {
  return lines(
      ask({"squeue", "--me", "--array", "--noheader", "--states=all", "--format=%F %K %T %N"}));
}

std::string SlurmCluster::ask(std::vector<std::string> command) const {
  return support::run_process(std::move(command), folder_.path()).out;
}

class SlurmPlans : public support::CommandLine {
 protected:
  void SetUp() override {
    if (const auto program = SlurmCluster::lacks())
      GTEST_SKIP() << *program << " is not installed: apt-get install slurm-wlm munge";
    cluster = std::make_unique<SlurmCluster>();
  }

  /// Runs of a network that learns parity for as many steps, one a seed. The rate falls almost from
  /// the beginning, so that a file says when a run is under way.
  void write_plan(const std::string& seeds, const std::string& steps) const {
    done({"train",        "word-problem",
          "--monoid",     "Z2",
          "--depths",     "1",
          "--widths",     "16",
          "--max-length", "4",
          "--set",        "task.validation=100",
          "--set",        "training.schedule=decaying",
          "--set",        "training.decay=0.95",
          "--steps",      steps,
          "--seeds",      seeds,
          "--write-plan", "p.json"});
  }
  Finished plan(const Arguments& more, const std::string& out = "runs") const {
    Arguments arguments = {"train", "plan", "p.json", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return logdepth(arguments);
  }
  static std::string run(int seed) { return "Z2/stack-1-width-16/seed-" + std::to_string(seed); }
  std::set<std::string> names(const std::string& in) const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder.path() / in))
      found.insert(entry.path().filename());
    return found;
  }
  /// The line of the table that --status prints of a run.
  std::string status(const std::string& name) const {
    const Finished table = plan({"--status"});
    EXPECT_EQ(table.status, 0) << table.err;
    for (const std::string& line : lines(table.out))
      if (line.starts_with(name + " "))
        return line.substr(line.find_first_not_of(' ', name.size()));
    ADD_FAILURE() << table.out << "names no " << name;
    return "";
  }
  /// Waits, for minutes at most: other programs may be at work on this machine.
  void wait_until(const std::function<bool()>& holds, const std::string& what) const {
    using Clock = std::chrono::steady_clock;
    for (const auto begin = Clock::now(); !holds();) {
      ASSERT_LT(Clock::now() - begin, std::chrono::minutes(5)) << what;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  void wait_for_the_end(const std::string& job) const {
    wait_until(
        [&] {
          const auto tasks = cluster->tasks();
          return std::none_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
            return task.starts_with(job + " ") && (task.find("PENDING") != std::string::npos ||
                                                   task.find("RUNNING") != std::string::npos ||
                                                   task.find("COMPLETING") != std::string::npos);
          });
        },
        "job " + job);
  }
  /// Submits what is missing and returns the number of the job.
  std::string submit(const Arguments& more = {}) const {
    Arguments arguments = {"--slurm"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = plan(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_EQ(finished.out, "");
    const auto at = finished.err.find("submitted job ");
    EXPECT_NE(at, std::string::npos) << finished.err;
    return finished.err.substr(at + 14, finished.err.find(':', at) - at - 14);
  }
  /// A task of this job is at work on the first run.
  void wait_for_the_first_run(const std::string& job) const {
    const fs::path lock = folder.path() / "runs" / run(1) / ".lock";
    wait_until(
        [&] {
          return fs::exists(lock) &&
                 folder.read("runs/" + run(1) + "/.lock").find("Slurm's job " + job) !=
                     std::string::npos;
        },
        "the first task of job " + job + " is at work");
  }
  /// Sends a signal to the process that the first task of a job has become.
  void end_first_task(const std::string& job, const std::string& signal) const {
    cluster->ask({"scancel", "--batch", "--signal=" + signal, job + "_0"});
    wait_until([&] { return status(run(1)).starts_with("ended"); }, status(run(1)));
  }

  std::unique_ptr<SlurmCluster> cluster;
};

TEST_F(SlurmPlans, AKilledTaskIsTakenUpAgainToTheSameBitsAndAFinishedArrayIsNotRunAgain) {
  write_plan("1,2,3", "1500");
  const std::string first = submit({"--array-limit", "2", "--memory", "1", "--time", "60"});

  // Both nodes work, and a second command leaves their runs alone.
  const std::string at_work = "Slurm's job " + first;
  wait_until(
      [&] {
        return status(run(1)).find(at_work) != std::string::npos &&
               status(run(2)).find(at_work) != std::string::npos;
      },
      "two tasks run");
  EXPECT_EQ(status(run(3)), "missing  not begun");
  const Finished beside = plan({"--run", run(1)});
  EXPECT_EQ(beside.status, 2);
  EXPECT_NE(beside.err.find("runs/" + run(1) + ": another command is at work there (process "),
            std::string::npos)
      << beside.err;
  EXPECT_NE(beside.err.find("task 0 of Slurm's job " + first), std::string::npos) << beside.err;

  // As a minute before the time limit: the task leaves a checkpoint.
  wait_until(
      [&] { return fs::exists(folder.path() / "runs" / run(1) / "before-decay.safetensors"); },
      "the first run is under way");
  end_first_task(first, "TERM");
  EXPECT_NE(status(run(1)).find(" of 1500 steps in the checkpoint"), std::string::npos)
      << status(run(1));
  // As by a power cut: what stands in the checkpoint stays. Runs that are done or at work are not
  // submitted; a task that waits is, and the later of the two finds its run done.
  const std::string second = submit();
  const json left = json::parse(folder.read("runs/slurm/2/plan.json"))["runs"];
  EXPECT_EQ(left[0]["name"], run(1));
  for (const json& one : left) EXPECT_NE(one["name"], run(2)) << "it is done or at work";
  wait_for_the_first_run(second);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  end_first_task(second, "KILL");
  EXPECT_TRUE(fs::exists(folder.file("runs/" + run(1) + "/checkpoint.safetensors")));

  wait_until([&] { return status(run(3)).starts_with("done "); }, "the third run");
  const std::string third = submit();
  EXPECT_EQ(json::parse(folder.read("runs/slurm/3/plan.json"))["runs"].size(), 1u);
  for (const std::string& job : {first, second, third}) wait_for_the_end(job);
  for (const int seed : {1, 2, 3}) EXPECT_TRUE(status(run(seed)).starts_with("done "));

  // What was ended twice, and what was not ended, is what one command makes without Slurm.
  ASSERT_EQ(plan({"--jobs", "2"}, "whole").status, 0);
  for (const int seed : {1, 2, 3}) {
    EXPECT_EQ(folder.read("runs/" + run(seed) + "/model.safetensors"),
              folder.read("whole/" + run(seed) + "/model.safetensors"));
    json record = json::parse(folder.read("runs/" + run(seed) + "/record.json"));
    json expected = json::parse(folder.read("whole/" + run(seed) + "/record.json"));
    for (json* one : {&record, &expected}) {
      one->erase("machine");
      (*one)["training"].erase("seconds");
    }
    EXPECT_EQ(record, expected);
    std::set<std::string> files = names("runs/" + run(seed));
    EXPECT_EQ(files.erase("slurm.log"), 1u);
    EXPECT_EQ(files, names("whole/" + run(seed)));
  }

  // Nothing is left to do: not for the command, and not for a task that Slurm starts again.
  const std::size_t known = cluster->tasks().size();
  const Finished after = plan({"--slurm"});
  EXPECT_EQ(after.status, 0);
  EXPECT_NE(after.err.find("nothing to submit"), std::string::npos) << after.err;
  EXPECT_EQ(cluster->tasks().size(), known);
  const std::string record = folder.read("runs/" + run(2) + "/record.json");
  cluster->ask({"scontrol", "requeue", first + "_1"});
  wait_until(
      [&] {
        return folder.read("runs/" + run(2) + "/slurm.log").find(run(2) + ": done before") !=
               std::string::npos;
      },
      "a task that was started again");
  EXPECT_EQ(folder.read("runs/" + run(2) + "/record.json"), record);
}

TEST_F(SlurmPlans, WhatTheControllerRefusesAndWhatATaskDiesOfIsSaidInASentence) {
  write_plan("1,2", "10");
  const Finished refused = plan({"--slurm", "--partition", "nowhere"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(lines(refused.err).size(), 1u) << refused.err;
  EXPECT_NE(
      refused.err.find("--slurm: sbatch refuses the job: invalid partition specified: nowhere"),
      std::string::npos)
      << refused.err;
  EXPECT_FALSE(fs::exists(folder.file("runs/slurm/1")));

  json broken = json::parse(folder.read("p.json"));
  broken["runs"][0]["config"]["initial_weights"] = "garbage.safetensors";
  folder.write("p.json", broken.dump());
  folder.write("garbage.safetensors", "no arrays at all");
  wait_for_the_end(submit());
  EXPECT_TRUE(status(run(1)).starts_with("ended    without a record")) << status(run(1));
  EXPECT_NE(folder.read("runs/" + run(1) + "/slurm.log").find("\nlogdepth: garbage.safetensors"),
            std::string::npos);
  EXPECT_TRUE(status(run(2)).starts_with("done ")) << status(run(2));
}

}}  // namespace logdepth::slurm_cluster_tests
