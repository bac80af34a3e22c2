// C-RASP programs that no words are drawn of and nothing is trained on, by the command line: one sentence each.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/command_line.hpp"

namespace logdepth::crasp_words_tests {
namespace {

using Arguments = std::vector<std::string>;

class ProgramsOfWords : public support::CommandLine {
 protected:
  void refuses(const Arguments& arguments, const std::string& reason) const {
    const auto names = folder.names();
    const support::Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(support::lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err << "lacks " << reason;
    EXPECT_EQ(folder.names(), names) << "nothing is written";
  }
  void both_refuse(const Arguments& more, const std::string& reason) const {
    Arguments words = {"data", "words", "--length", "6"};
    Arguments train = {"train", "word-problem", "--max-length", "6", "--steps",
                       "1",     "--out",        "runs"};
    for (Arguments* one : {&words, &train}) {
      one->insert(one->end(), more.begin(), more.end());
      refuses(*one, reason);
    }
  }
};

TEST_F(ProgramsOfWords, FilesThatAreNoneAreNamed) {
  both_refuse({"--crasp", "missing.crasp"}, "--crasp: missing.crasp: ");
  folder.write("p.crasp", "alphabet a b\nL := Q_c\n");
  both_refuse({"--crasp", "p.crasp"}, "--crasp: p.crasp:2: ");
  folder.write("p.crasp", "alphabet a b\nA := #[Q_a]\n");
  both_refuse({"--crasp", "p.crasp"}, "p.crasp");
  folder.write("p.crasp", "");
  both_refuse({"--crasp", "p.crasp"}, "p.crasp");
}

TEST_F(ProgramsOfWords, ProgramsOfOneLetterOrOneVerdictAreNoTask) {
  folder.write("p.crasp", "alphabet a\nL := #[Q_a] > 2\n");
  both_refuse({"--crasp", "p.crasp"},
              "--crasp: p.crasp: expected an alphabet of at least 2 letters, found 'a' alone");
  folder.write("p.crasp", "alphabet a b\nL := #[Q_a] > 6\n");
  both_refuse(
      {"--crasp", "p.crasp"},
      "p.crasp: expected a program that accepts some words of at most 6 letters and rejects "
      "some, found none accepted");
  folder.write("p.crasp", "alphabet a b\nL := #[Q_a] <= 6\n");
  both_refuse({"--crasp", "p.crasp"}, "found all accepted");
}

TEST_F(ProgramsOfWords, ASecondLanguageBesideTheProgramIsRefused) {
  const std::string dyck1 = example("crasp/dyck1.crasp");
  const auto with = [&](Arguments more) {
    more.insert(more.begin(), {"--crasp", dyck1});
    return more;
  };
  const Arguments train = {"train", "word-problem", "--out", "runs"};
  const auto trained = [&](Arguments more) {
    more.insert(more.begin(), train.begin(), train.end());
    return more;
  };
  refuses(trained(with({"--monoid", "S3"})),
          "--monoid: expected one of --monoid, --regex, --automaton and --crasp, found --crasp as "
          "well");
  refuses(trained(with({"--regex", "(a|b)*a"})),
          "--crasp: expected one of --regex, --automaton and --crasp, found --regex as well");
  refuses(trained(with({"--automaton", "a.fst"})), "found --automaton as well");
  refuses(trained(with({"--labels", "verdicts"})),
          "--labels: expected --regex or --automaton beside it");
  refuses(trained(with({"--teach", "windows"})), "task.teach: windows are products of a monoid");
  const Arguments words = {"data", "words", "--length", "6"};
  const auto drawn = [&](Arguments more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  for (const char* other : {"--monoid", "--regex", "--automaton", "--labels"})
    refuses(drawn(with({other, other == std::string("--labels") ? "verdicts" : "x"})), "excludes");
  refuses(drawn(with({"--letters", "all"})), "--letters requires --monoid");
  folder.write("own.crasp", "alphabet a b\nL := Q_a\n");
  refuses(drawn({"--crasp", "own.crasp", "-o", "own.crasp"}), "own.crasp");
}

}  // namespace
}  // namespace logdepth::crasp_words_tests
