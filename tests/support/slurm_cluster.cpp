#include "tests/support/slurm_cluster.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace logdepth::support {
namespace {

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

}  // namespace

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
  return run_process(std::move(command), folder_.path()).out;
}

}  // namespace logdepth::support
