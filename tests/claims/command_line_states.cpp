// Files that read the state after every prefix, from outside: run, test, draw, info, diff and the runner
// in Python.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/file/whole_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::command_line_states_tests {
namespace {

using nlohmann::json;
using support::Finished;

const std::string kProgram =
    support::source_dir() + "/tests/programs/the_state_of_a_flip_flop.cells";
constexpr const char* kRight = "(s|r|t|k)*sk*";

class States : public support::CommandLine {
 protected:
  States() { compile(read_whole_file(kProgram), "states.json"); }
  void compile(const std::string& text, const std::string& name) const {
    folder.write("program.cells", text);
    done({"compile", "program", "program.cells", "-o", name});
  }
  /// The program with another last line.
  static std::string with_prefix(const std::string& line) {
    const std::string text = read_whole_file(kProgram);
    return text.substr(0, text.rfind("prefix state")) + line + "\n";
  }
  Finished python(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {support::python(),
                                    support::source_dir() + "/examples/exact_runner.py"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return support::run_process(all, folder.path(), "");
  }
};

TEST_F(States, AreNamedInTextAndNumberedInJson) {
  EXPECT_EQ(done({"run", "states.json", "--input", "rskt", "--prefixes"}),
            "\"off\"\n\"on\"\n\"on\"\n\"off\"\n");
  const json out =
      json::parse(done({"run", "states.json", "--input", "rskt", "--prefixes", "--json"}));
  EXPECT_EQ(out["results"][0]["prefixes"], json({0, 1, 1, 0}));
  EXPECT_EQ(done({"run", "states.json", "--batch", "-", "--prefixes"}, "s\n\nkk\n"),
            "\"on\"\n\n\n\"off\"\n\"off\"\n");
  EXPECT_EQ(done({"run", "states.json", "--input", "sk", "--prefixes", "--engine", "float64"}),
            "\"on\"\n\"on\"\n");
  compile(with_prefix("prefix state last 3 0 0 1"), "numbers.json");
  EXPECT_EQ(done({"run", "numbers.json", "--input", "rs", "--prefixes"}), "\"off\"\n3\n");
}

TEST_F(States, AreWhatTheRunnerInPythonReads) {
  EXPECT_EQ(python({"states.json", "rskt", "kk", "--prefixes"}).out, "0\n1\n1\n0\n0\n0\n");
}

TEST_F(States, AreComparedByTestWhereTheOracleKnowsTheAutomaton) {
  const std::string said =
      done({"test", "states.json", "--against", kRight, "--up-to", "3", "--random", "0"});
  EXPECT_NE(said.find("27 accepted; checked 228 states and "), std::string::npos) << said;
  const json out = json::parse(done(
      {"test", "states.json", "--against", kRight, "--up-to", "3", "--random", "0", "--json"}));
  EXPECT_EQ(out["prefixes"], 1 * 4 + 2 * 16 + 3 * 64);
  EXPECT_EQ(out["prefix_kind"], "state");
}

TEST_F(States, ThatAreExchangedFailATest) {
  compile(with_prefix("prefix state last 0 1 1 1"), "exchanged.json");
  const Finished finished = logdepth({"test", "exchanged.json", "--against", kRight});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(finished.out.find("'s' (1 letter, shrunk from 1): expected state after the first 1 "
                              "letter 1, found 0"),
            std::string::npos)
      << finished.out;
  const Finished differs =
      logdepth({"diff", "exchanged.json", "--input", "s", "--program", kProgram});
  EXPECT_EQ(differs.status, 1) << differs.out << differs.err;
  EXPECT_NE(differs.out.find("token 0, cell prefix: expected 0, found 1"), std::string::npos)
      << differs.out;
}

TEST_F(States, ThatNoOracleKnowsAreNotComparedAndATestSaysSo) {
  folder.write("oracle.py",
               "import sys\n"
               "for line in sys.stdin:\n"
               "    rest = line.strip().rstrip('k')\n"
               "    print('accept' if rest.endswith('s') else 'reject', flush=True)\n");
  const std::string said = done({"test", "states.json", "--against",
                                 std::string("command:") + support::python() + " oracle.py",
                                 "--up-to", "2", "--random", "0"});
  EXPECT_NE(said.find("no state was compared: the oracle has no states"), std::string::npos)
      << said;
}

TEST_F(States, StandInTheClaimSheetAndUnderTheTokensOfAPicture) {
  EXPECT_NE(
      done({"info", "states.json"}).find("prefixes      the state after every letter, one of 2\n"),
      std::string::npos);
  EXPECT_EQ(json::parse(done({"info", "states.json", "--json"}))["states"], 2);
  done({"draw", "states.json", "--input", "rsk", "--against", kRight, "-o", "right.svg"});
  const std::string right = folder.read("right.svg");
  for (const char* text : {">state<", ">on<", ">off<"})
    EXPECT_NE(right.find(text), std::string::npos) << text;
  EXPECT_EQ(right.find("class=\"wrong\""), std::string::npos);
  compile(with_prefix("prefix state last 0 1 1 1"), "exchanged.json");
  done({"draw", "exchanged.json", "--input", "rsk", "--against", kRight, "-o", "wrong.svg"});
  EXPECT_NE(folder.read("wrong.svg").find("3 states are wrong, the first at token 1"),
            std::string::npos);
  EXPECT_EQ(logdepth({"draw", "states.json", "-o", "network.svg"}).status, 0);
  EXPECT_NE(folder.read("network.svg").find("the state after its prefix,"), std::string::npos);
}

}  // namespace
}  // namespace logdepth::command_line_states_tests
