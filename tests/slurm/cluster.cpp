// Plans carried out by Slurm itself: its daemons are started here, on two nodes that are this
// machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "tests/support/command_line.hpp"
#include "tests/support/slurm_cluster.hpp"

namespace logdepth::slurm_cluster_tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class SlurmPlans : public support::CommandLine {
 protected:
  void SetUp() override {
    if (const auto program = support::SlurmCluster::lacks())
      GTEST_SKIP() << *program << " is not installed: apt-get install slurm-wlm munge";
    cluster = std::make_unique<support::SlurmCluster>();
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
    wait_until([&] { return status(run(1)).starts_with("killed"); }, status(run(1)));
  }

  std::unique_ptr<support::SlurmCluster> cluster;
};

TEST_F(SlurmPlans, AKilledTaskIsTakenUpAgainToTheSameBitsAndAFinishedArrayIsNotRunAgain) {
  write_plan("1,2,3", "1500");
  const std::string first = submit({"--array-limit", "2", "--memory", "1", "--time", "60"});

  // Both nodes work, and a second command leaves the tasks alone.
  wait_until(
      [&] {
        const std::string states = status(run(1)) + status(run(2));
        return states.find(" on n1") != std::string::npos &&
               states.find(" on n2") != std::string::npos;
      },
      "two tasks run");
  EXPECT_TRUE(status(run(3)).starts_with("pending  task 2 of job " + first)) << status(run(3));
  const Finished again = plan({"--slurm"});
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("nothing to submit"), std::string::npos) << again.err;
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
  EXPECT_NE(status(run(1)).find("signal 15"), std::string::npos) << status(run(1));
  EXPECT_NE(status(run(1)).find(" of 1500 steps in the checkpoint"), std::string::npos)
      << status(run(1));
  const Finished unfinished = plan({"--collect"});
  EXPECT_EQ(unfinished.status, 3);
  EXPECT_NE(unfinished.err.find("of 3 runs have no result: " + run(1)), std::string::npos)
      << unfinished.err;

  // As by a power cut: what stands in the checkpoint stays. Only this run is submitted.
  const std::string second = submit();
  EXPECT_EQ(json::parse(folder.read("runs/slurm/2/plan.json"))["runs"].size(), 1u);
  wait_for_the_first_run(second);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  end_first_task(second, "KILL");
  EXPECT_NE(status(run(1)).find("signal 9"), std::string::npos) << status(run(1));
  EXPECT_TRUE(fs::exists(folder.file("runs/" + run(1) + "/checkpoint.safetensors")));

  const std::string third = submit();
  for (const std::string& job : {first, second, third}) wait_for_the_end(job);
  const Finished collected = plan({"--collect"});
  EXPECT_EQ(collected.status, 0) << collected.err;
  EXPECT_EQ(lines(collected.out),
            (Arguments{"runs/" + run(1), "runs/" + run(2), "runs/" + run(3)}));

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
    std::size_t tasks = 0;
    for (const std::string& line : lines(folder.read("runs/" + run(seed) + "/slurm.log")))
      tasks += line.starts_with("== ");
    EXPECT_EQ(tasks, seed == 1 ? 3u : 1u);
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
  EXPECT_TRUE(status(run(1)).starts_with("failed   task 0 of job ")) << status(run(1));
  EXPECT_NE(status(run(1)).find("exit status 2: logdepth: garbage.safetensors"), std::string::npos)
      << status(run(1));
  EXPECT_TRUE(status(run(2)).starts_with("done ")) << status(run(2));
}

}  // namespace
}  // namespace logdepth::slurm_cluster_tests
