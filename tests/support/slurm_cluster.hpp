#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/processes.hpp"

namespace logdepth::support {

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

  TemporaryFolder folder_;
  std::vector<pid_t> daemons_;
};

}  // namespace logdepth::support
