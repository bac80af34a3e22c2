// The program `logdepth` from outside: the tree and the uniform radix construction.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/command_line.hpp"
#include "tests/support/places.hpp"

namespace logdepth::uniform_radix_command_line_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

using Arguments = std::vector<std::string>;

class UniformConstructions : public support::CommandLine {
 protected:
  Arguments regular(const Arguments& more) const {
    Arguments all = {"compile", "regular", "--group", "A5", "-o", "a5.json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  json info() const { return json::parse(done({"info", "a5.json", "--at", "100", "--json"})); }

  /// It answers, is tested, compared, drawn, traced, unrolled and run by the other runner.
  void check_use() const {
    EXPECT_EQ(done({"run", "a5.json", "--input", "abab", "--prefixes"}),
              "[1,2,0,3,4]\n[2,3,1,4,0]\n[0,3,2,4,1]\n[1,4,3,0,2]\n");
    EXPECT_EQ(done({"run", "a5.json", "--batch", "-"}, "\na\naaa\nabb\nbbbbb\n"),
              "accept\nreject\naccept\nreject\naccept\n");
    EXPECT_EQ(logdepth({"test", "a5.json", "--against", "group:A5", "--up-to", "4", "--random",
                        "20", "--max-length", "30"})
                  .status,
              0);
    EXPECT_EQ(logdepth({"diff", "a5.json", "--input", "abaabbab"}).status, 0);
    done({"draw", "a5.json", "--input", "abab", "-o", "attention.svg"});
    done({"draw", "a5.json", "-o", "circuit.svg"});
    EXPECT_NE(folder.read("attention.svg").find("<svg"), std::string::npos);
    EXPECT_NE(folder.read("circuit.svg").find("<svg"), std::string::npos);
    const Finished python = support::run_process(
        {support::python(), example("exact_runner.py"), "a5.json", "abab", "bbbbb", "ababababab"},
        folder.path(), "");
    EXPECT_EQ(python.status, 0) << python.err;
    EXPECT_EQ(python.out, done({"run", "a5.json", "--batch", "-"}, "abab\nbbbbb\nababababab\n"));
  }
};

TEST_F(UniformConstructions, TheTreeIsUsedLikeOthersAndSaysWhatItRepairs) {
  for (const char* norm : {"rms", "layernorm"}) {
    done(regular({"--construction", "tree", "--norm", norm}));
    check_use();
    const json sheet = info();
    EXPECT_EQ(sheet["construction"], "tree");
    EXPECT_EQ(sheet["depth_formula"], "2 ceil(log2 n) + 4");
    EXPECT_EQ(sheet["depth"], 2 * 7 + 4);
    EXPECT_EQ(sheet["parameters"]["positions"], "first-flag");
    EXPECT_GE(sheet["deviations"].size(), 7u);
  }
}

TEST_F(UniformConstructions, RadixWithoutALengthIsOneNetworkForAllLengths) {
  for (const auto& [radix, block, formula, depth] : {std::tuple{"2", "2", "2 ceil(log2 n) + 2", 16},
                                                     {"3", "2", "2 ceil(log_3 n) + 2", 12},
                                                     {"2", "3", "3 ceil(log_4 n) + 2", 14}}) {
    done(regular({"--construction", "radix", "--radix", radix, "--block", block}));
    check_use();
    const json sheet = info();
    EXPECT_EQ(sheet["construction"], "uniform-radix");
    EXPECT_EQ(sheet["depth_formula"], formula);
    EXPECT_EQ(sheet["depth"], depth);
    EXPECT_EQ(sheet["parameters"]["radix"], radix);
    EXPECT_EQ(sheet["parameters"]["block"], block);
    EXPECT_EQ(sheet["parameters"]["positions"], "first-flag");
    EXPECT_FALSE(sheet.contains("max_length"));
  }
  done(regular({"--construction", "radix"}));
  EXPECT_EQ(info()["depth_formula"], "2 ceil(log2 n) + 2");
  done(regular({"--construction", "radix", "--unroll", "4"}));
  EXPECT_EQ(info()["construction"], "radix");
}

TEST_F(UniformConstructions, OptionsThatDoNotFitAreRefusedInOneSentence) {
  const auto refuses = [&](const Arguments& more, const char* reason) {
    const Finished finished = logdepth(regular(more));
    EXPECT_EQ(finished.status, 2) << reason;
    EXPECT_EQ(lines(finished.err).size(), 1u) << finished.err;
    EXPECT_NE(finished.err.find(reason), std::string::npos) << finished.err;
  };
  for (const char* positions : {"circle", "two-circle"}) {
    refuses({"--construction", "tree", "--positions", positions},
            "supports only first-flag positions");
    refuses({"--construction", "radix", "--positions", positions},
            "supports only first-flag positions");
  }
  done(regular({"--construction", "tree", "--positions", "first-flag"}));
  done(regular({"--construction", "radix", "--positions", "first-flag"}));
  refuses({"--construction", "tree", "--radix", "3"}, "--construction radix");
  refuses({"--block", "3"}, "--construction radix");
  refuses({"--construction", "tree", "--block", "3"}, "--construction radix");
  refuses({"--construction", "radix", "--block", "3", "--unroll", "9"}, "--block");
  for (const char* block : {"0", "1", "99"})
    refuses({"--construction", "radix", "--block", block}, block);
}

}  // namespace
}  // namespace logdepth::uniform_radix_command_line_tests
