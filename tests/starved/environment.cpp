// Folders, links, streams, signals and threads of the machine that a command runs on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/json_tape.hpp"
#include "base/quoted_text.hpp"
#include "base/worker_threads.hpp"
#include "runtime/file/weights_file.hpp"
#include "runtime/file/whole_file.hpp"
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

TEST_F(Environment, WithoutPseudoTerminalsAProgramIsAskedThroughAPipe) {
  const std::string without = "export ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" +
                              shell_word(support::preloaded("no_terminals")) + ";";
  const std::string judges = "import sys\nfor w in sys.stdin:\n    print(w.strip().endswith('abb')";
  const auto ask = [&](const std::string& command, const std::string& words) {
    return starve(without, {"test", "abb.json", "--against", "command:" + command, "--up-to", words,
                            "--random", "3"});
  };
  // Neither writes out its lines.
  folder.write("right.py", judges + ")\n");
  folder.write("wrong.py", judges + " or len(w) == 5)\n");
  const auto passed = ask("python3 right.py", "4");
  EXPECT_EQ(passed.status, 0) << passed.err;
  const auto failed = ask("python3 wrong.py", "4");
  EXPECT_EQ(failed.status, 1) << failed.err;
  EXPECT_NE(failed.out.find("counterexample: 'aaaa'"), std::string::npos) << failed.out;
  EXPECT_NE(ask("exit 7", "2").err.find("it ended with status 7"), std::string::npos);
  // What no variable can tell to: said after the minute that every program has.
  const auto kept = ask("sed s/.*/reject/", "0");
  EXPECT_EQ(kept.status, 2);
  EXPECT_NE(kept.err.find("input '': expected a line, found none in 60 s; does it write its answer "
                          "out after every line? Most programs do to a terminal only, and here "
                          "none can be opened: mount devpts at /dev/pts\n"),
            std::string::npos)
      << kept.err;
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

// What is printed arrives whole or not at all, whatever ends a command and however slowly it is read.

namespace {

using Clock = std::chrono::steady_clock;

class WholeOutput : public Starved {
 protected:
  /// A file with so much to say that no pipe holds it.
  void SetUp() override {
    Starved::SetUp();
    Model model = read_weights(folder.file("abb.json"));
    for (int i = 0; i < 100; ++i)
      model.hypotheses.push_back(std::to_string(i) + std::string(20000, 'x'));
    save_weights(model, folder.file("large.json"));
    whole_ = done({"info", "large.json", "--json"});
    ASSERT_GT(whole_.size(), 1u << 20);
  }

  /// Prints large.json into a pipe. Once the first byte has come, so that the program is writing,
  /// `then` goes on: words of the shell, where $program is its process and descriptor 4 the pipe.
  support::Finished print(const std::vector<std::string>& more, const std::string& then) const {
    std::string command = support::program() + " info large.json --json";
    for (const std::string& word : more) command += " " + shell_word(word);
    return support::run_process(
        {"bash", "-c",
         "mkfifo pipe; " + command + " > pipe & program=$!; exec 4< pipe; head -c 1 <&4; " + then +
             "; wait $program"},
        folder.path());
  }

  std::string whole_;
};

TEST_F(WholeOutput, ATextThatWasBegunIsEndedWhenASignalComes) {
  for (const auto& [signal, number] : std::map<std::string, int>{{"TERM", 15}, {"XCPU", 24}}) {
    const auto finished = print({}, "kill -" + signal + " $program; sleep 0.2; cat <&4; rm pipe");
    EXPECT_EQ(finished.status, 128 + number);
    EXPECT_TRUE(finished.out == whole_) << finished.out.size() << " of " << whole_.size();
  }
}

TEST_F(WholeOutput, ATextThatWasBegunIsEndedWhenTheTimeIsUp) {
  const auto finished = print({"--seconds", "3"}, "sleep 3.5; cat <&4");
  EXPECT_EQ(finished.status, 3);
  // On a machine that is slow the time may have been up before anything was printed.
  if (!finished.out.empty()) {
    EXPECT_TRUE(finished.out == whole_) << finished.out.size() << " of " << whole_.size();
  }
  EXPECT_TRUE(finished.err.ends_with(
      "logdepth: --seconds 3: time limit exceeded; the output before this line is valid\n"))
      << finished.err;
}

TEST_F(WholeOutput, NobodyWaitsForeverForWhoDoesNotRead) {
  const Clock::time_point begin = Clock::now();
  const std::string once = "kill -TERM $program; wait $program; status=$?; rm pipe; exit $status";
  EXPECT_EQ(print({}, once).status, 128 + 15);
  const Clock::time_point patient = Clock::now();
  EXPECT_GT(patient - begin, std::chrono::seconds(4));
  EXPECT_LT(patient - begin, std::chrono::seconds(30));
  // Nor does who asks twice.
  const std::string twice = "kill -TERM $program; sleep 0.3; kill -TERM $program; wait $program";
  EXPECT_EQ(print({}, twice).status, 128 + 15);
  EXPECT_LT(Clock::now() - patient, patient - begin);
}

TEST_F(WholeOutput, SignalsThatAreIgnoredStayIgnored) {
  const auto finished = support::run_process(
      {"bash", "-c",
       std::string("trap '' HUP; mkfifo pipe; ") + support::program() +
           " info large.json --json > pipe & program=$!; exec 4< pipe; head -c 1 <&4; kill -HUP "
           "$program; sleep 0.2; cat <&4; wait $program"},
      folder.path());
  EXPECT_EQ(finished.status, 0);
  EXPECT_TRUE(finished.out == whole_);
}

TEST_F(WholeOutput, OfACommandThatFailsIsNothingHalfAnswered) {
  folder.write("words.txt", "ab\nabb\nabc\n");
  const auto finished = starve("", {"run", "abb.json", "--batch", "words.txt"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_EQ(finished.out, "");
  for (const char* closed : {">&-", "2>&- >/dev/full"})
    EXPECT_EQ(starve("", {"run", "abb.json", "--input", "ab"}, closed).status, 2) << closed;
}

TEST_F(WholeOutput, AnswersOfABatchComeWhileItRuns) {
  folder.write("words.txt", "abb\n" + std::string(2000000, 'a') + "\n");
  const auto finished = support::run_process(
      {"bash", "-c",
       std::string("mkfifo pipe; ") + support::program() +
           " run a5.json --batch words.txt > pipe & program=$!; exec 4< pipe; head -n 1 <&4; kill "
           "-TERM $program; wait $program"},
      folder.path());
  EXPECT_EQ(finished.status, 128 + 15);
  EXPECT_EQ(finished.out, "reject\n");
}

}  // namespace

// What messages quote from inputs.

namespace {

TEST(QuotedTexts, KeepWhatPeopleWrite) {
  for (const std::string text :
       {"", "a5.json", "(a|b)*abb", "\xC3\xA4\xE2\x82\xAC\xF0\x9D\x94\xB8"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(in_quotes(text), "'" + text + "'");
  }
}

TEST(QuotedTexts, MoveNoCursorAndEndNoLine) {
  EXPECT_EQ(in_quotes("\x1b[31m"), "'\\x1b[31m'");
  EXPECT_EQ(in_quotes(std::string("\0\n\r\t\x7f", 5)), "'\\x00\\x0a\\x0d\\x09\\x7f'");
  EXPECT_EQ(in_quotes("\xC2\x9B"
                      "2J"),
            "'\\xc2\\x9b2J'");                                  // the same escape in one character
  EXPECT_EQ(in_quotes("\xE2\x80\xAE"), "'\\xe2\\x80\\xae'");    // right to left
  EXPECT_EQ(in_quotes("\xE2\x81\xA6"), "'\\xe2\\x81\\xa6'");    // an isolate
  EXPECT_EQ(in_quotes("\xE2\x80\xA8"), "'\\xe2\\x80\\xa8'");    // a line separator
  EXPECT_EQ(in_quotes("a\xff\xC0\xAF"), "'a\\xff\\xc0\\xaf'");  // no UTF-8
  EXPECT_EQ(shown("\xC2\x9B\x1b\""), "\"\\xc2\\x9b\\u001b\\\"\"");  // the same in JSON's quotes
}

TEST(QuotedTexts, AreAsLongAsAMessageCanBe) {
  EXPECT_EQ(printable(std::string(kMostQuoted, 'x')), std::string(kMostQuoted, 'x'));
  EXPECT_EQ(in_quotes(std::string(400000, '9')), "'" + std::string(kMostQuoted, '9') + "...'");
  EXPECT_EQ(shown(std::string(400000, '9')), "\"" + std::string(kMostQuoted, '9') + "\"...");
  // No character is cut.
  std::string umlauts;
  for (std::size_t i = 0; i < kMostQuoted; ++i) umlauts += "\xC3\xA4";
  EXPECT_EQ(printable("x" + umlauts).size(), kMostQuoted + 1 + 3);
  EXPECT_TRUE(is_utf8(printable("x" + umlauts)));
  EXPECT_TRUE(is_utf8(shown("x" + umlauts)));
}

}  // namespace

}  // namespace logdepth::starved
