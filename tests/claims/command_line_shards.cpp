// Work in parts: what `merge` makes of all of them is what the command prints that does everything.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command_line.hpp"

namespace logdepth::command_line_shards_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;
using Arguments = std::vector<std::string>;

class Shards : public support::CommandLine {
 protected:
  static Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static std::string part(const std::string& name, int shard) {
    return name + "-" + std::to_string(shard) + ".json";
  }
  /// Does the work in so many parts; the largest exit status.
  int do_parts(const Arguments& command, int shards, const std::string& name = "part") const {
    int worst = 0;
    for (int i = 1; i <= shards; ++i) {
      const Finished finished =
          logdepth(with(command, {"--shard", std::to_string(i) + "/" + std::to_string(shards),
                                  "--part", part(name, i)}));
      EXPECT_EQ(finished.out, "") << "a part has no answer";
      EXPECT_LE(finished.status, 1) << finished.err;
      worst = std::max(worst, finished.status);
    }
    return worst;
  }
  /// The parts are given in another order than that of the work.
  static Arguments merge(int shards, const std::string& name = "part") {
    Arguments arguments = {"merge"};
    for (int i = shards; i >= 1; --i) arguments.push_back(part(name, i));
    return arguments;
  }
  void expect_same(const Arguments& command, int shards) const {
    const Finished whole = logdepth(command), whole_json = logdepth(with(command, {"--json"}));
    do_parts(command, shards);
    const Finished merged = logdepth(merge(shards)),
                   merged_json = logdepth(with(merge(shards), {"--json"}));
    EXPECT_EQ(merged.out, whole.out) << merged.err;
    EXPECT_EQ(merged.status, whole.status);
    EXPECT_EQ(merged_json.out, whole_json.out);
    EXPECT_NE(whole.out, "");
  }
  void refuses(const Arguments& arguments, const std::string& reason) const {
    const Finished finished = logdepth(arguments);
    EXPECT_EQ(finished.status, 2) << finished.err;
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  }
};

TEST_F(Shards, PartsOfATestOfWordsAreTheWholeTestAndItsRecord) {
  compile_regex("(a|b)*abb", "abb.json");
  const Arguments test = {"test", "abb.json", "--against", "(a|b)*abb"};
  expect_same(with(test, {"--random", "20"}), 3);
  expect_same(with(test, {"--up-to", "1", "--random", "1"}), 7);  // more parts than cases
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  const Arguments products = {"test", "s3.json",  "--against", "group:S3", "--up-to",
                              "4",    "--random", "30",        "--seed",   "5"};
  expect_same(products, 4);
  done(products);
  const std::string record = folder.read("s3.json.checks.json");
  std::filesystem::remove(folder.file("s3.json.checks.json"));
  do_parts(products, 2);
  EXPECT_FALSE(folder.names().contains("s3.json.checks.json")) << "a part is no record";
  done(merge(2));
  EXPECT_EQ(folder.read("s3.json.checks.json"), record);
}

TEST_F(Shards, PartsOfTestsOfGraphsDivisionsAndEquationsAreTheWholeTests) {
  done({"compile", "connectivity", "-o", "compact.json"});
  expect_same(
      {"test", "compact.json", "--against", "graph:reachability", "--up-to", "2", "--random", "4"},
      3);
  done({"compile", "connectivity", "--construction", "rows", "--size", "3", "-o", "rows.json"});
  expect_same({"test", "rows.json", "--against", "graph:undirected-reachability", "--up-to", "3",
               "--random", "5"},
              3);
  done({"compile", "division", "-o", "division.json"});
  expect_same({"test", "division.json", "--against", "division", "--up-to", "4", "--random", "5"},
              2);
  done({"compile", "computation-graph", "--prime", "3", "--names", "4", "--depth", "4",
        "--operands", "2", "-o", "equations.json"});
  expect_same({"test", "equations.json", "--against", "computation-graph", "--up-to", "2",
               "--random", "10"},
              3);
}

TEST_F(Shards, TheCounterexampleOfPartsIsTheFirstOfAll) {
  compile_regex("(a|b)*abb", "abb.json");
  const Arguments test = {"test", "abb.json", "--against", "(a|b)*ab(b|aa)", "--up-to", "6"};
  const Finished whole = logdepth(test);
  ASSERT_EQ(whole.status, 1);
  EXPECT_EQ(do_parts(test, 5), 1) << "the part that has it says so";
  const Finished merged = logdepth(merge(5));
  EXPECT_EQ(merged.status, 1);
  const auto example = [](const Finished& finished) {
    const std::vector<std::string> said = lines(finished.out);
    return said.at(said.size() - 2);  // and how to look at it
  };
  EXPECT_EQ(example(merged), example(whole));
  EXPECT_TRUE(example(merged).starts_with("counterexample: ")) << merged.out;
}

TEST_F(Shards, PartsOfALedgerAreTheLedger) {
  expect_same({"check", "thm-4.1", "--up-to", "2", "--random", "1"}, 3);
}

TEST_F(Shards, PartsOfTheLawsOfPrecisionAreTheReport) {
  const Arguments report = {"report",      "precision", "--up-to",     "8",   "--only",
                            "scan-circle", "positions", "--positions", "5000"};
  expect_same(report, 3);
  ASSERT_EQ(logdepth(with(report, {"--out", "whole"})).status, 0);
  ASSERT_EQ(logdepth(with(merge(3), {"--out", "merged"})).status, 0);
  for (const std::string name :
       {"precision.md", "precision.csv", "precision.json", "precision.svg"})
    EXPECT_EQ(folder.read("merged/" + name), folder.read("whole/" + name)) << name;
}

TEST_F(Shards, PartsThatDoNotBelongTogetherAreRefused) {
  compile_regex("(a|b)*abb", "abb.json");
  compile_regex("(a|b)*aab", "aab.json");
  const auto parts = [&](const std::string& name, const std::string& model, int shards,
                         const Arguments& more) {
    do_parts(with({"test", model, "--against", "(a|b)*abb", "--up-to", "2", "--random", "2"}, more),
             shards, name);
  };
  parts("part", "abb.json", 3, {});
  parts("file", "aab.json", 3, {});
  parts("seed", "abb.json", 3, {"--seed", "2"});
  parts("count", "abb.json", 2, {});
  const auto mixed = [&](const std::string& third, const std::string& reason) {
    refuses({"merge", "part-1.json", "part-2.json", third}, reason);
  };
  mixed("file-3.json",
        "part-1.json and file-3.json: expected shards of the same job, found weights");
  mixed("seed-3.json", "found seed 1 and 2");
  mixed("count-2.json", "found the number of shards 3 and 2");
  mixed("part-2.json", "part-2.json and part-2.json: duplicate shard 2/3");
  refuses({"merge", "part-1.json", "part-3.json"}, "expected 3 shards, found 2; missing: 2/3");
  json old = json::parse(folder.read("part-3.json"));
  old["question"]["program"] = "0.0.1";
  folder.write("old.json", old.dump());
  mixed("old.json", "found program \"0.1.0\" and \"0.0.1\"");
  refuses({"merge", "abb.json"},
          "abb.json: expected a shard file, as a command with --shard writes it");
  EXPECT_EQ(logdepth({"merge", "part-1.json", "part-2.json", "part-3.json"}).status, 0);

  const Arguments test = {"test", "abb.json", "--against", "(a|b)*abb"};
  for (const std::string shard : {"0/3", "4/3", "1", "1/", "-1/3", "1/3/5"})
    refuses(with(test, {"--shard", shard, "--part", "p.json"}), "expected I/K with 1 <= I <= K");
  refuses(with(test, {"--shard", "1/3"}), "--part");
  refuses(with(test, {"--part", "p.json"}), "--shard");
  refuses(with(test, {"--shard", "1/3", "--part", "p.json", "--json"}), "--json");
}

}  // namespace
}  // namespace logdepth::command_line_shards_tests
