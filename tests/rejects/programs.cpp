// The zoo of programs that must be refused. Each part of programs.txt is one misuse: "== " and its name,
// then a program whose first two lines say which sentence must be in the message and to which family
// the reason belongs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "compiler/rules/program_rules.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::programs_tests { namespace {

struct Misuse {
  std::string file, sentence, family, text;

  friend void PrintTo(const Misuse& misuse, std::ostream* out) { *out << misuse.file; }
};

std::string line_after(const std::string& prefix, const std::string& text) {
  const std::size_t start = text.find(prefix);
  if (start == std::string::npos) return "";
  const std::size_t from = start + prefix.size();
  return text.substr(from, text.find('\n', from) - from);
}

std::vector<Misuse> zoo() {
  std::vector<Misuse> misuses;
  std::ifstream in(support::source_dir() + "/tests/rejects/programs.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("== ")) {
      misuses.push_back({line.substr(3) + ".cells", "", "", ""});
    } else {
      misuses.at(misuses.size() - 1).text += line + '\n';
    }
  }
  for (Misuse& misuse : misuses) {
    misuse.sentence = line_after("# refused: ", misuse.text);
    misuse.family = line_after("# family: ", misuse.text);
  }
  return misuses;
}

/// Who refuses, and the message; every other exception passes through as a failure of the test.
struct Refused {
  std::string by, message;
};

Refused refuse(const Misuse& misuse) {
  Program program;
  try {
    program = parse_program(misuse.text, misuse.file);
  } catch (const InputError& error) {
    return {"parser", error.what()};
  }
  try {
    check_program(program);
  } catch (const ProgramRefused& error) {
    return {"rules", error.what()};
  }
  try {
    (void)compile(program);
  } catch (const ProgramRefused& error) {
    return {"passes", error.what()};
  } catch (const SizeLimit& error) {
    return {"size limit", error.what()};
  }
  return {"nobody", ""};
}

class RejectedPrograms : public testing::TestWithParam<Misuse> {};

TEST_P(RejectedPrograms, AreRefusedForTheStatedReason) {
  const Misuse& misuse = GetParam();
  ASSERT_GE(misuse.sentence.size(), 15u) << "no '# refused: ...' line";
  Refused refused;
  ASSERT_NO_THROW(refused = refuse(misuse))
      << "neither InputError nor ProgramRefused nor SizeLimit";
  ASSERT_NE(refused.by, "nobody") << "the program compiles";
  EXPECT_NE(refused.message.find(misuse.sentence), std::string::npos)
      << "expected: " << misuse.sentence << "\ngot:      " << refused.message;
  // The parser names file and line; the rules come before any pass.
  static const std::map<std::string, std::vector<std::string>> kBy = {
      {"text", {"parser"}},           {"rules", {"rules"}},
      {"lookups", {"rules"}},         {"norms", {"passes"}},
      {"memory", {"passes"}},         {"loop", {"passes"}},
      {"twice", {"rules", "passes"}}, {"format", {"parser", "rules", "passes", "size limit"}}};
  ASSERT_TRUE(kBy.contains(misuse.family)) << "unknown family " << misuse.family;
  const auto& allowed = kBy.at(misuse.family);
  EXPECT_NE(std::find(allowed.begin(), allowed.end(), refused.by), allowed.end())
      << "refused by the " << refused.by;
  if (refused.by == "parser") {
    EXPECT_TRUE(refused.message.starts_with(misuse.file + ":"));
  }
  EXPECT_EQ(refused.message.find('\n'), std::string::npos) << "one sentence, one line";
}

// A file that is lost, or refused for a reason of another family, shows here.
TEST(RejectedPrograms, AreAsManyPerFamilyAsPinnedHere) {
  std::map<std::string, int> count;
  for (const Misuse& misuse : zoo()) ++count[misuse.family];
  const std::map<std::string, int> pinned = {{"text", 71},  {"rules", 121}, {"lookups", 12},
                                             {"norms", 45}, {"memory", 5},  {"loop", 5},
                                             {"twice", 8},  {"format", 13}};
  EXPECT_EQ(count, pinned);
}

INSTANTIATE_TEST_SUITE_P(Zoo, RejectedPrograms, testing::ValuesIn(zoo()), [](const auto& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
});

TEST(RejectedPrograms, AGroupThatMayBeZeroIsCuredAsTheMessageSays) {
  const auto text = [](const std::string& size, const std::string& cure) {
    return "logdepth-cells 1\nalphabet a b\ncell one constant\ncell x onehot none a b\ncell n "
           "number " +
           size + "\ncell d direction " + size +
           "\ntoken <begin> x=none\ntoken a x=a\ntoken b x=b\ninitial\nfetch f causal uniform\n"
           "add n[0] + x[a] - x[b]\n" +
           cure + "\noutput o + d[0]\n";
  };
  const Refused zero = refuse({"", "", "", text("1", "normalise d from n[0]")});
  EXPECT_NE(zero.message.find("such as a number to which a uniform head adds the constant cell"),
            std::string::npos)
      << zero.message;
  EXPECT_EQ(refuse({"", "", "", text("2", "add n[1] + one\nnormalise d from n[0] n[1]")}).message,
            "");
}

// C-RASP programs that no words are drawn of and nothing is trained on, by the command line: one sentence each.

using Arguments = std::vector<std::string>;

class ProgramsOfWords : public support::CommandLine {
 protected:
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

}}  // namespace logdepth::programs_tests
