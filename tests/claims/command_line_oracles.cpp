// The program `logdepth` from outside: `test --against command:PROGRAM`, an oracle that is a program
// of the user's.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_oracles_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class Oracles : public support::CommandLine {
 protected:
  /// A Python program that has the line it is asked as `w` and prints `answer`.
  void oracle(const std::string& name, const std::string& answer) const {
    folder.write(name,
                 "import sys\nfor line in sys.stdin:\n    w = line.rstrip('\\n')\n    print(" +
                     answer + ")\n");
  }
  Finished test(const std::string& model, const std::string& command, Arguments more = {}) const {
    Arguments arguments = {"test", model, "--against", "command:" + command};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return logdepth(arguments);
  }
  void refuses(const std::string& model, const std::string& command,
               const std::string& reason) const {
    const Finished finished = test(model, command);
    EXPECT_EQ(finished.status, 2) << command;
    EXPECT_EQ(finished.out, "") << command;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  }
};

TEST_F(Oracles, AProgramOfOnesOwnJudgesWords) {
  compile_regex("(b|ab*a)*", "even.json");
  oracle("even.py", "'accept' if w.count('a') % 2 == 0 else 'reject'");
  const Finished passed = test("even.json", "python3 even.py", {"--up-to", "5"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  EXPECT_TRUE(passed.out.starts_with("passed: against command python3 even.py, every word"))
      << passed.out;
  for (const char* answer : {"w.count('a') % 2 == 0", "int(w.count('a') % 2 == 0)"}) {
    oracle("other.py", answer);
    EXPECT_EQ(test("even.json", "python3 other.py", {"--up-to", "3"}).status, 0) << answer;
  }
  // Wrong on words of more than six letters with an odd number of a: the shortest is found.
  oracle("wrong.py", "w.count('a') % 2 == 0 or len(w) > 6");
  const Finished failed = test("even.json", "python3 wrong.py", {"--up-to", "4", "--json"});
  EXPECT_EQ(failed.status, 1) << failed.err;
  const json example = json::parse(failed.out)["counterexample"];
  EXPECT_EQ(example["word"].get<std::string>().size(), 7u) << example;
  EXPECT_EQ(example["expected"], "accept");
  EXPECT_EQ(example["got"], "reject");
}

TEST_F(Oracles, AProgramThatKeepsItsOutputForATerminalIsHeardAllTheSame) {
  compile_regex("a*", "all.json");
  // As the C library does for everybody who prints with it.
  EXPECT_EQ(test("all.json", "sed s/.*/accept/", {"--up-to", "4", "--random", "5"}).status, 0);
}

TEST_F(Oracles, NamedValuesAreComparedExactly) {
  done({"compile", "program", example("programs/counting.cells"), "-o", "counting.json"});
  const std::string share =
      "' '.join(f'{l}={__import__(\"fractions\").Fraction(w.count(l), len(w) + 1)}' for l in ";
  oracle("counting.py", share + "'cab')");
  const Finished passed =
      test("counting.json", "python3 counting.py", {"--up-to", "4", "--random", "20"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  EXPECT_NE(passed.out.find("\nchecked 3159 named values and "), std::string::npos)
      << passed.out;  // 3 * (121 + 912 + 20)
  oracle("wrong.py", share + "'abc') if len(w) < 4 or 'b' not in w else 'a=0 b=1/5 c=0'");
  const Finished failed = test("counting.json", "python3 wrong.py");
  EXPECT_EQ(failed.status, 1) << failed.err;
  EXPECT_NE(failed.out.find("counterexample: 'aaab' (4 letters"), std::string::npos) << failed.out;
  EXPECT_NE(failed.out.find("expected a=0 b=1/5 c=0, found a=3/5 b=1/5 c=0"), std::string::npos)
      << failed.out;
  for (const char* line :
       {"a=0 b=0", "a=0 b=0 c=0.5", "a=0 b=0 c=0 d=0", "a=0 a=0 b=0 c=0", "0 0 0"}) {
    oracle("other.py", "'" + std::string(line) + "'");
    refuses("counting.json", "python3 other.py",
            "input '': expected one exact value for each of the names a, b, c, as a=1/2, found '" +
                std::string(line) + "'");
  }
  const Finished verdicts = logdepth({"test", "counting.json", "--against", "(a|b|c)*"});
  EXPECT_EQ(verdicts.status, 2);
  EXPECT_NE(verdicts.err.find("has named values and no verdict"), std::string::npos);
}

TEST_F(Oracles, AProgramOfOnesOwnJudgesGraphs) {
  done({"compile", "connectivity", "--construction", "rows", "--size", "3", "-o", "rows.json"});
  folder.write("reach.py", R"(import sys
for line in sys.stdin:
    n, s, t, *ends = map(int, line.split())
    edges, seen, queue = list(zip(ends[::2], ends[1::2])), {s}, [s]
    while queue:
        v = queue.pop()
        for a, b in edges:
            if a == v and b not in seen and (len(sys.argv) < 2 or b != 2):
                seen.add(b); queue.append(b)
    print('connected' if t in seen else 'not connected')
)");
  const Finished passed = test("rows.json", "python3 reach.py", {"--up-to", "2", "--random", "8"});
  EXPECT_EQ(passed.status, 0) << passed.out << passed.err;
  const Finished failed = test("rows.json", "python3 reach.py wrong", {"--up-to", "3"});
  EXPECT_EQ(failed.status, 1) << failed.out << failed.err;
  EXPECT_NE(failed.out.find("expected not connected, found connected"), std::string::npos)
      << failed.out;
}

TEST_F(Oracles, AProgramThatContradictsItselfIsSaidTo) {
  compile_regex("(a|b)*", "all.json");
  folder.write("once.py", R"(import sys
asked = set()
for line in sys.stdin:
    print(line in asked or len(line) < 4)
    asked.add(line)
)");
  refuses("all.json", "python3 once.py", "the oracle is not deterministic: two answers for 'aaa'");
}

/// Writes its number, closes what it has of ours and goes on, whatever it is sent but SIGKILL.
constexpr const char* kLingers =
    "trap '' TERM HUP INT; echo $$ > pid; while read w; do echo accept; done; exec >&- 2>&-; "
    "while :; do sleep 1; done";

TEST_F(Oracles, NothingThatAProgramStartedOutlivesTheTest) {
  compile_regex("(a|b)*", "all.json");
  // What was killed ends a moment later; what was not goes on for ever.
  const auto gone = [&] {
    for (int tenths = 0; tenths < 100; ++tenths) {
      // A process that has ended may still wait to be asked how.
      std::ifstream status("/proc/" + lines(folder.read("pid")).at(0) + "/status");
      const std::string text(std::istreambuf_iterator<char>(status), {});
      if (text.empty() || text.find("State:\tZ") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  };
  EXPECT_EQ(test("all.json", kLingers, {"--up-to", "2", "--random", "0"}).status, 0);
  EXPECT_TRUE(gone());
  // And none when the test is interrupted.
  std::filesystem::remove(folder.file("pid"));
  const Finished interrupted = support::run_process(
      {support::program(), "test", "all.json", "--against",
       "command:trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 1; done"},
      folder.path(), "",
      [&] { return folder.names().contains("pid") && !folder.read("pid").empty(); });
  EXPECT_EQ(interrupted.status, 128 + 15);
  EXPECT_TRUE(gone());
}

TEST_F(Oracles, AProgramThatDoesNotAnswerIsNamedWithItsQuestion) {
  compile_regex("(a|b)*", "all.json");
  refuses("all.json", "no-such-program",
          "command 'no-such-program', input '': expected a line, it ended with status 127");
  refuses("all.json", "read line; echo accept; exit 7",
          "input 'a': expected a line, it ended with status 7");
  refuses("all.json", "read line; kill -9 $$", "it ended by signal 9");
  refuses("all.json", "cat", "input '': expected 'accept' or 'reject', found ''");
  refuses("all.json", "while read line; do echo accept; echo x; done",
          "'x'");  // when it is noticed
  refuses("all.json", "exec >&-; sleep 100", "input '': expected a line, it closed its output");
  refuses("all.json", " ", "--against: expected a program after command:");
  folder.write("oracle.sh", "cat\n");
  const Finished file = logdepth({"test", "all.json", "--against", "oracle.sh"});
  EXPECT_EQ(file.status, 2);
  EXPECT_NE(file.err.find("is given as command:oracle.sh"), std::string::npos) << file.err;
  refuses("all.json", "printf 'accept\\naccept\\n'; sleep 5",
          "but it had written 'accept' before, more than one line for the last question");
  done({"compile", "division", "-o", "division.json"});
  refuses("division.json", "cat", "expected --against division");
}

}  // namespace
}  // namespace logdepth::command_line_oracles_tests
