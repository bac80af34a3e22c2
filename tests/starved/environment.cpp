// Folders, links, streams, signals and threads of the machine that a command runs on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "base/worker_threads.hpp"
#include "runtime/file/output_folder.hpp"
#include "tests/starved/commands.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved {
namespace {

namespace fs = std::filesystem;

class Environment : public Starved {};

TEST_F(Environment, AMissingTemporaryFolderIsNamed) {
  const auto finished = starve("export TMPDIR=/none/such;", {"check", "lem-3.1", "--up-to", "1"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.err,
            "logdepth: /none/such: no temporary folder can be made there (No such file or "
            "directory); set TMPDIR to a folder that can be written\n");
}

TEST_F(Environment, ASignalRemovesTheTemporaryFolderWithItsFiles) {
  const fs::path temporary = folder.path() / "temporary";
  fs::create_directory(temporary);
  const auto holds_files = [&] {
    for (const auto& entry : fs::directory_iterator(temporary))
      if (!fs::is_empty(entry.path())) return true;
    return false;
  };
  const auto finished = support::run_process(
      {"/bin/sh", "-c",
       std::string("TMPDIR=temporary exec ") + support::program() + " check thm-4.1 --threads 2"},
      folder.path(), "", holds_files);
  EXPECT_EQ(finished.status, 128 + 15) << finished.err;
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(Environment, ALinkToAFileThatIsYetToBeMadeIsFollowed) {
  fs::create_directory(folder.path() / "there");
  fs::create_symlink("there/second", folder.path() / "first");
  fs::create_symlink("out.json", folder.path() / "there" / "second");
  done({"compile", "regular", "--regex", "ab", "-o", "first"});
  EXPECT_TRUE(fs::is_symlink(folder.path() / "first"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "there" / "second"));
  EXPECT_TRUE(fs::is_regular_file(folder.path() / "there" / "out.json"));
  EXPECT_EQ(done({"run", "there/out.json", "--input", "ab"}), "accept\n");
}

TEST_F(Environment, AnOutputIsNotWhereTheAnswersGo) {
  const std::string sentence =
      "logdepth: both.jsonl: is standard output or standard error; write to another name\n";
  folder.write("both.jsonl", "");
  const std::vector<std::string> traced = {"run",  "abb.json", "--input",
                                           "aabb", "--trace",  "both.jsonl"};
  EXPECT_EQ(starve("", traced, "> both.jsonl").err, sentence);
  EXPECT_EQ(folder.read("both.jsonl"), "");
  EXPECT_EQ(starve("", traced, "2>> both.jsonl").status, 2);
  EXPECT_EQ(folder.read("both.jsonl"), sentence);
}

TEST_F(Environment, AFullDiskIsSaidToBeFull) {
  for (const char* automaton : {"ab", "(a|b|c|d|e|f)*abcdef"}) {  // in one piece, in several
    const auto file = starve("", {"compile", "regular", "--regex", automaton, "-o", "/dev/full"});
    EXPECT_EQ(file.status, 2);
    EXPECT_EQ(support::lines(file.err).back(),
              "logdepth: /dev/full: cannot be written: No space left on device");
  }
  for (const std::vector<std::string>& asked : std::vector<std::vector<std::string>>{
           {"info", "abb.json"}, {"inspect", "--regex", "a{200}", "--json"}}) {
    const auto stream = starve("", asked, "> /dev/full");
    EXPECT_EQ(stream.status, 2);
    EXPECT_EQ(stream.err, "logdepth: standard output cannot be written: No space left on device\n");
  }
}

TEST_F(Environment, AReportThatFailsLeavesNoFolder) {
  fs::create_directories(folder.path() / "report" / "report.md");
  const auto finished = starve("", {"check", "lem-3.1", "--up-to", "1", "--report", "report"});
  EXPECT_EQ(finished.status, 2) << finished.err;
  starve("ulimit -f 0;", {"check", "lem-3.1", "--up-to", "1", "--report", "a/b/report"});
  EXPECT_FALSE(fs::exists(folder.path() / "report" / "models"));
}

TEST(OutputFolders, OfWhichTheInnermostIsYetToBeMadeGoOnASignal) {
  const support::TemporaryFolder folder;
  const OutputFolder output(folder.file("made/in/report"));
  fs::remove(folder.path() / "made" / "in" / "report");  // as if the signal had come before it
  remove_empty_output_folders();
  EXPECT_TRUE(folder.names().empty());
}

TEST(SharedWork, IsDoneOnceWhateverThreadsThereAre) {
  for (const std::size_t threads : {0, 1, 2, 7, 100}) {
    std::vector<std::atomic<int>> done(50);
    share_work(done.size(), threads, [&](std::size_t part) { ++done[part]; });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  share_work(0, 4, [](std::size_t) { FAIL(); });
}

TEST(SharedWork, ThatThrowsInAWorkerThrowsInTheCaller) {
  const auto caller = std::this_thread::get_id();
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<int> begun = 0;
    try {
      share_work(8, 4, [&](std::size_t part) {
        ++begun;
        while (part == 0 && begun < 2) std::this_thread::yield();  // not all of it here
        if (std::this_thread::get_id() != caller) throw std::out_of_range("in a worker");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "in a worker");
    }
  }
}

TEST(SharedWork, CountsTheThreadsThatCanBeStarted) {
  EXPECT_EQ(startable_threads(1), 1u);
  EXPECT_EQ(startable_threads(5), 5u);
}

}  // namespace
}  // namespace logdepth::starved
