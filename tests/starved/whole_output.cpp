// What is printed arrives whole or not at all, whatever ends a command and however slowly it is read.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/shell_word.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/starved/commands.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved {
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
}  // namespace logdepth::starved
