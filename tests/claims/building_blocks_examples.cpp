// The streams and programs of examples/cells, as a user runs them.
#include <fstream>
#include <map>
#include <sstream>

#include "compiler/program/program_text.hpp"
#include "constructions/MS25/building_blocks_appA.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::building_blocks_examples_tests {
namespace {

using CellExamples = support::CommandLine;

std::map<std::string, Program> programs() {
  return {{"read", read_MS25_lemA1()},        {"read_several", read_several_MS25_lemA2({2, 2, 1})},
          {"store", store_MS25_lemA3()},      {"overwrite", overwrite_MS25_lemA4()},
          {"clear", clear_MS25_lemA5()},      {"offset", offset_MS25_lemA6(2, OffsetForm::cleared)},
          {"equality", equality_MS25_lemA7()}};
}

TEST_F(CellExamples, AreThePrintedBuildingBlocks) {
  for (const auto& [name, program] : programs()) {
    std::ifstream in(example("cells/" + name + ".cells"));
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_EQ(text.str(), print_program(program)) << name;
  }
}

TEST_F(CellExamples, AnswerAsTheirReadmeSays) {
  const std::map<std::string, std::string> answers = {
      {"read",
       "phi.0 phi.1\n0 1\n3/5 4/5\n-sqrt(49/50) sqrt(1/50)\nsqrt(1/2) sqrt(1/2)\n"
       "sqrt(1/1000000000000000001) sqrt(1000000000000000000/1000000000000000001)\n"},
      {"read_several",
       "x0.0 x0.1 x1.0 x1.1 x2\n0 1 3/5 4/5 1\nsqrt(1/2) sqrt(1/2) -3/5 4/5 -1\n"
       "sqrt(4/5) sqrt(1/5) 0 1 -1\n"},
      {"store", "phi.0 phi.1\nsqrt(1/2) sqrt(1/2)\n0 1\n-sqrt(1/10) sqrt(9/10)\n0 1\n"},
      {"overwrite", "z.0 z.1 kept.0 kept.1\n-3/5 4/5 3/5 4/5\n1 0 0 1\n"},
      {"clear", "kept\n1\n-1\n-1\n"},
      {"offset",
       "phi.0 phi.1\n-sqrt(4/5) sqrt(1/5)\n-sqrt(1/2) sqrt(1/2)\n0 1\nsqrt(1/2) sqrt(1/2)\n"
       "sqrt(4/5) sqrt(1/5)\n"},
      {"equality", "equal\n1\n1\n-1\n-1\n"}};
  ASSERT_EQ(answers.size(), programs().size());
  for (const auto& [name, answer] : answers) {
    done({"compile", "program", example("cells/" + name + ".cells"), "-o", "model.json"});
    EXPECT_EQ(done({"run", "model.json", "--cells", example("cells/" + name + ".txt")}), answer)
        << name;
  }
}

TEST_F(CellExamples, AreOutsideTheHypothesesWhereAStreamIsNotWhatItsProgramSays) {
  done({"compile", "program", example("cells/read.cells"), "-o", "model.json"});
  folder.write("raw.txt", "z.0 z.1\n0 1\n3/4 1\n");
  const auto finished = logdepth({"run", "model.json", "--cells", "raw.txt"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "outside the hypotheses\n");
  EXPECT_NE(finished.err.find("token 1: cell z may not be given (3/4, 1)"), std::string::npos)
      << finished.err;
}

TEST_F(CellExamples, ShowInTheirTraceThatWhatWasClearedIsZero) {
  done({"compile", "program", example("cells/clear.cells"), "-o", "model.json"});
  done({"run", "model.json", "--cells", example("cells/clear.txt"), "--trace", "trace.jsonl"});
  const auto trace = support::lines(folder.read("trace.jsonl"));
  ASSERT_GE(trace.size(), 3u);
  for (std::size_t token = 0; token < 3; ++token) {
    const std::string& line = trace[trace.size() - 3 + token];
    EXPECT_NE(line.find("\"z\":[\"0\",\"0\"]"), std::string::npos) << line;
    EXPECT_NE(line.find("\"x\":[\"0\",\"0\"]"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace logdepth::building_blocks_examples_tests
