// One run beside what is right, and what a network says of its cells and states: the library and the
// program; pictures for LaTeX; the networks of `logdepth zoo`.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "logdepth/compare.hpp"
#include "logdepth/constructions.hpp"
#include "logdepth/draw.hpp"
#include "logdepth/inspect.hpp"
#include "tests/library/installed.hpp"

namespace logdepth::compared_tests { namespace {

class Compared : public support::OutsideTheTree {
 protected:
  support::Finished program(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), LOGDEPTH_BINARY);
    return support::run_process(arguments, folder.path());
  }
  std::string bytes_below(const std::string& name) const {
    std::string all;
    for (const std::string& file : support::files_below(folder.path() / name))
      all += file + "\n" + folder.read(name + "/" + file);
    return all;
  }
};

TEST_F(Compared, ChecksNameWhatIsWrong) {
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  EXPECT_TRUE(check(abb, abb.word("aabb"), {.against = "(a|b)*abb"}).passed());
  EXPECT_TRUE(check(abb, abb.word("ab")).passed());
  const RunCheck wrong = check(abb, abb.word("ab"), {.against = "(a|b)*ab"});
  ASSERT_EQ(wrong.problems.size(), 1u);
  EXPECT_EQ(wrong.problems[0], "expected accept, found reject");
  EXPECT_EQ(wrong.answer.decision, Decision::rejected);

  const Transformer reach = compile_connectivity();
  const DirectedGraph edge = {2, {{0, 1}}};
  EXPECT_TRUE(check(reach, edge, 0, 1, {.against = "graph:reachability"}).passed());
  const Transformer division = compile_division();
  EXPECT_TRUE(check(division, division_streams(division, 7, 3), {.against = "division"}).passed());
}

TEST_F(Compared, DifferencesAreThoseOfTheProgram) {
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  std::string text = embedded_program(abb).text();
  const std::string rule = "rule sd=b d=b -> d=bb\n";
  ASSERT_NE(text.find(rule), std::string::npos);
  text.replace(text.find(rule), rule.size(), "rule sd=b d=b -> d=abb\n");
  EXPECT_TRUE(diff(abb, abb.word("abab")).equal());
  EXPECT_TRUE(diff(abb, abb.word("abab"), {.engine = "float64", .rule = "bounded"}).equal());
  const Diff found = diff(abb, abb.word("bb"), {.program = program_from_text(text)});
  ASSERT_TRUE(found.first.has_value());
  abb.save(folder.file("abb.json"));
  folder.write("other.cells", text);
  const support::Finished said =
      program({"diff", "abb.json", "--program", "other.cells", "--input", "bb"});
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.out, "first difference: " + found.first->text + "\n");
}

TEST_F(Compared, CellsHaveTheirMeaningAndUsers) {
  const Transformer abb = compile_regular({.regex = "(a|b)*abb"});
  const ClaimSheet sheet = inspect(abb);
  EXPECT_EQ(sheet.states, 4u);
  EXPECT_EQ(sheet.initial_state, 0u);
  EXPECT_EQ(sheet.accepting_states, std::vector<std::uint32_t>{3});
  const auto cell = std::ranges::find(sheet.cell_index, "d", &CellSheet::name);
  ASSERT_NE(cell, sheet.cell_index.end());
  EXPECT_EQ(cell->meaning, "one of 7 labels: (), a, b, ab, bb, abb, bbb");
  EXPECT_EQ(cell->written_by, (std::vector<std::string>{"embedding", "look-up product (layer 1)"}));
  EXPECT_EQ(cell->read_by, (std::vector<std::string>{"head prev (layer 1)",
                                                     "look-up product (layer 1)", "output"}));
  abb.save(folder.file("abb.json"));
  const std::string said = program({"info", "abb.json", "--cells"}).out;
  EXPECT_NE(said.find("\nstates        4, numbered from 0; initial 0; accepting 3\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("\nd: one of 7 labels: (), a, b, ab, bb, abb, bbb\n"), std::string::npos);
  EXPECT_EQ(program({"info", "abb.json", "--program"}).out, embedded_program(abb).text());
}

TEST_F(Compared, TheZooIsTheSameWheneverItIsWritten) {
  const std::string list = program({"zoo", "--list"}).out;
  EXPECT_EQ(std::ranges::count(list, '\n'), 100);
  const std::vector<std::string> two = {"--only", "tomita2", "--only", "graphs-rows-2"};
  std::vector<std::string> whole = {"zoo", "a"};
  whole.insert(whole.end(), two.begin(), two.end());
  EXPECT_EQ(program(whole).err, "wrote a: 2 networks\n");
  EXPECT_EQ(program({"zoo", "b", "--only", "tomita2"}).status, 0);
  whole[1] = "b";
  EXPECT_EQ(program(whole).err, "wrote b: 2 networks, 1 of them before\n");
  EXPECT_EQ(bytes_below("a"), bytes_below("b"));
  for (const char* file : {"weights.json.gz", "examples.jsonl", "README.md", "network.json",
                           "model.onnx", "safetensors/model.safetensors"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "a/tomita2" / file)) << file;
  EXPECT_NE(folder.read("a/tomita2/examples.jsonl")
                .find("{\"accept\":true,\"initial_state\":0,\"products\":"),
            std::string::npos);
  EXPECT_NE(folder.read("a/tomita2/network.json").find("\"attention\": \"softmax\""),
            std::string::npos);
  // No separation of its heads is proved.
  EXPECT_EQ(program({"zoo", "c", "--only", "cascade-Z2"}).status, 0);
  EXPECT_NE(folder.read("c/cascade-Z2/README.md")
                .find("| model.onnx | float64, averaging-hard, up to length 16"),
            std::string::npos);
  EXPECT_NE(folder.read("c/cascade-Z2/network.json").find("\"onnx_attention\": \"averaging-hard\""),
            std::string::npos);
  folder.write("b/tomita2/network.json", "{}");
  EXPECT_EQ(program(whole).status, 2);
}

TEST_F(Compared, DataWithWrongTargetsFailTheCheck) {
  folder.write("right.csv", "seed,input,target\n1,1 1,1 2\n");
  folder.write("wrong.csv", "seed,input,target\n1,1 1,1 1\n");
  folder.write("broken.csv", "seed,input,target\n1,1 1,1 2 3\n");
  EXPECT_EQ(program({"data", "check", "right.csv", "--monoid", "Z5"}).status, 0);
  const support::Finished wrong =
      program({"data", "check", "wrong.csv", "--monoid", "Z5", "--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("wrong.csv:2: target index 2 is 1, expected 2"), std::string::npos);
  EXPECT_NE(wrong.out.find("\"right\": false"), std::string::npos);
  EXPECT_EQ(program({"data", "check", "broken.csv", "--monoid", "Z5"}).status, 2);
}

TEST_F(Compared, AJobArrayIsShownBeforeItIsSubmitted) {
  EXPECT_EQ(program({"train", "word-problem", "--monoid", "S3", "--depths", "1", "--seeds", "1",
                     "--steps", "10", "--write-plan", "plan.json"})
                .status,
            0);
  const support::Finished shown = program({"train", "plan", "plan.json", "--slurm", "--dry-run",
                                           "--gres", "gpu:h100:1", "--out", "runs"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("#SBATCH --gres=gpu:h100:1\n"), std::string::npos);
  EXPECT_NE(shown.err.find("would submit 1 run, "), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "runs"));
}

}}  // namespace logdepth::compared_tests
