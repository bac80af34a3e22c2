// Two commands in one folder of a run, and commands that end while a run is under way.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::folder_locks_tests { namespace {

namespace fs = std::filesystem;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

const std::string kRun = "runs/Z2/stack-1-width-16/seed-1";

class FolderLocks : public support::CommandLine {
 protected:
  static Arguments training(const std::string& steps) {
    return {support::program(),
            "train",
            "word-problem",
            "--monoid",
            "Z2",
            "--depths",
            "1",
            "--widths",
            "16",
            "--max-length",
            "4",
            "--set",
            "task.validation=100",
            "--set",
            "training.schedule=decaying",
            "--set",
            "training.decay=1",
            "--steps",
            steps,
            "--out",
            "runs"};
  }
  Finished train(const std::string& steps, const std::function<bool()>& interrupt_when = nullptr) {
    return support::run_process(training(steps), folder.path(), "", interrupt_when);
  }
  /// Training has begun: what stands before a rate that falls from the beginning is stored.
  bool under_way() const { return fs::exists(folder.path() / kRun / "before-decay.safetensors"); }
  /// The command that trains, as its lock says.
  pid_t holder() const {
    const std::string text = folder.read(kRun + "/.lock");
    EXPECT_TRUE(text.starts_with("process ")) << text;
    return std::atoi(text.c_str() + 8);
  }
  /// The training program that the command has started.
  static pid_t child_of(pid_t process) {
    const std::string id = std::to_string(process);
    std::ifstream in("/proc/" + id + "/task/" + id + "/children");
    pid_t child = 0;
    EXPECT_TRUE(in >> child);
    return child;
  }
  /// Whether a process would handle SIGTERM; the training program does so once.
  static bool catches_the_end(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("SigCgt:"))
        return (std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1) != 0;
    return false;
  }
};

TEST_F(FolderLocks, ASecondCommandIsToldWhoHasTheFolderAndChangesNothing) {
  Finished second;
  std::string config;
  const Finished first = train("1000000", [&] {
    if (!under_way()) return false;
    config = folder.read(kRun + "/config.json");
    second = train("30");
    return true;
  });
  EXPECT_EQ(first.status, 128 + SIGTERM) << "it went on until it was told to end";
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.out, "");
  ASSERT_EQ(lines(second.err).size(), 1u) << second.err;
  EXPECT_EQ(second.err.find("logdepth: " + kRun + ": another command is at work there (process " +
                            std::to_string(holder()) + " on "),
            0u)
      << second.err;
  EXPECT_EQ(folder.read(kRun + "/config.json"), config);
  EXPECT_NE(first.err.find("continues from"), std::string::npos) << first.err;
}

TEST_F(FolderLocks, ACommandThatWasKilledLeavesNoLock) {
  Arguments planned = training("1000000");
  planned.insert(planned.end(), {"--write-plan", "p.json"});
  ASSERT_EQ(support::run_process(planned, folder.path()).status, 0);
  const auto status = [&] {
    return done({"train", "plan", "p.json", "--status", "--out", "runs"});
  };
  EXPECT_NE(status().find("missing  not begun"), std::string::npos) << status();
  pid_t before = 0;
  std::string running;
  const Finished killed = train("1000000", [&] {
    if (!under_way()) return false;
    before = holder();
    running = status();
    kill(before, SIGKILL);
    return true;
  });
  EXPECT_EQ(killed.status, 128 + SIGKILL);
  EXPECT_NE(running.find("running  process " + std::to_string(before)), std::string::npos)
      << running;
  // Its training program writes a checkpoint and ends; until then nobody else is let in.
  using Clock = std::chrono::steady_clock;
  for (const auto begin = Clock::now();
       status().find("ended    without a record") == std::string::npos;) {
    ASSERT_LT(Clock::now() - begin, std::chrono::minutes(1)) << status();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_NE(status().find(" of 1000000 steps in the checkpoint"), std::string::npos) << status();
  const Finished next = train("1000000", [&] { return holder() != before; });
  EXPECT_EQ(next.err.find("at work there"), std::string::npos) << next.err;
}

TEST_F(FolderLocks, ASignalThatComesWhileTheTrainingProgramStartsIsNotLost) {
  // As soon as there is a child: most often it is a copy of the command still, with its handlers.
  using Clock = std::chrono::steady_clock;
  for (int attempt = 0; attempt < 40; ++attempt) {
    fs::remove_all(folder.path() / "runs");
    std::optional<Clock::time_point> told;
    const Finished ended = train("1000000", [&] {
      if (told) return Clock::now() - *told > std::chrono::seconds(30);
      const std::string lock = (folder.path() / kRun / ".lock").string();
      std::string word, id;
      if (std::ifstream in(lock); !(in >> word >> id)) return false;
      for (pid_t child = 0; child == 0;) {
        std::ifstream in("/proc/" + id + "/task/" + id + "/children");
        if (!in) return true;
        in >> child;
      }
      kill(std::stoi(id), SIGTERM);
      told = Clock::now();
      return false;
    });
    EXPECT_EQ(ended.status, 128 + SIGTERM);
    ASSERT_TRUE(told && Clock::now() - *told < std::chrono::seconds(30)) << "attempt " << attempt;
  }
}

TEST_F(FolderLocks, ASignalToTheCommandAndToItsTrainingProgramLeavesACheckpoint) {
  std::thread wake;
  const Finished ended = train("1000000", [&] {
    if (!under_way()) return false;
    const pid_t child = child_of(holder());
    kill(child, SIGTERM);
    while (catches_the_end(child)) {
    }
    // It has heard one signal and sleeps while the command, which is sent the same, tells it again.
    kill(child, SIGSTOP);
    wake = std::thread([child] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      kill(child, SIGCONT);
    });
    return true;
  });
  wake.join();
  EXPECT_EQ(ended.status, 128 + SIGTERM);
  EXPECT_TRUE(fs::exists(folder.path() / kRun / "checkpoint.safetensors")) << ended.err;
}

}}  // namespace logdepth::folder_locks_tests
