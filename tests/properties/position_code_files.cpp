// Weights files with a fine position code and the parity of positions: written, read back, and read by
// the independent reader in Python.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "logdepth/program.hpp"
#include "runtime/file/position_code.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/places.hpp"
#include "tests/support/processes.hpp"

namespace logdepth::position_code_files_tests {
namespace {

Program fixture(const std::string& name) {
  const std::string path = support::source_dir() + "/tests/programs/" + name;
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return parse_program(text.str(), path);
}

class PositionCodeFiles : public testing::TestWithParam<Norm> {};

TEST_P(PositionCodeFiles, SayTheCodeItsOffsetAndTheParity) {
  CompileOptions options;
  options.norm = GetParam();
  const Model model = compile(fixture("count_modulo_three.cells"), options).model;
  const auto& position = std::get<CodePosition>(model.position);
  const std::size_t sides = GetParam() == Norm::layernorm ? 2 : 1;
  EXPECT_EQ(position.code, PositionCode::fine(3));
  EXPECT_EQ(position.fills.size(), sides);
  ASSERT_EQ(position.parity.size(), sides);
  EXPECT_EQ(position.parity.front().value, Rational(1));
  EXPECT_EQ(position.parity.back().value, Rational(sides == 1 ? 1 : -1));
  const std::string text = write_weights(model);
  EXPECT_NE(text.find("\"kind\": \"fine\",\n\"offset\": 3,\n\"parity\": ["), std::string::npos);
  EXPECT_EQ(parse_weights(text, "m.json"), model);
}

TEST_P(PositionCodeFiles, AreUnderstoodByTheReaderInPython) {
  const support::TemporaryFolder folder;
  CompileOptions options;
  options.norm = GetParam();
  save_weights(compile(fixture("count_modulo_three.cells"), options).model, folder.file("m.json"));
  std::mt19937_64 random(laws::seed());
  std::string batch, verdicts;
  for (std::size_t length = 0; length <= 24; ++length) {
    std::string word;
    for (std::size_t i = 0; i < length; ++i) word += random() % 4 == 0 ? 'b' : 'a';
    batch += word + '\n';
    verdicts += std::count(word.begin(), word.end(), 'a') % 3 == 0 ? "accept\n" : "reject\n";
  }
  folder.write("batch.txt", batch);
  const auto said =
      support::run_process({support::python(), support::source_dir() + "/examples/exact_runner.py",
                            "m.json", "--batch", "batch.txt"},
                           folder.path(), "");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.out, verdicts);
}

// Weights files name the codes, so other readers compute them too.
TEST(PositionCodes, AreTheNumbersThatTheFormatSays) {
  using Code = std::vector<Rational>;
  EXPECT_EQ(circle_code(0), (Code{0, 1}));
  EXPECT_EQ(circle_code(2), (Code{{-4, 5}, {3, 5}}));
  // t = p + 1 is 2^L x: the circle at x in [1, 2), and at L + 1.
  EXPECT_EQ(two_circle_code(0), (Code{0, 1, 0, 1}));
  EXPECT_EQ(two_circle_code(1), (Code{0, 1, {-3, 5}, {4, 5}}));
  EXPECT_EQ(two_circle_code(2), (Code{{-5, 13}, {12, 13}, {-3, 5}, {4, 5}}));
  EXPECT_EQ(two_circle_code(6), (Code{{-33, 65}, {56, 65}, {-4, 5}, {3, 5}}));
  EXPECT_EQ(fine_code(2, 0), (Code{{3, 5}, {4, 5}}));
}

TEST(PositionCodes, AreWrittenWithTheBuilderAsInTheTextForm) {
  using namespace cells;
  cells::Program p("a multiple of three a's");
  p.alphabet({"a", "b"}).fixed_loops(0);
  p.constant();
  const auto x = p.onehot("x", {"begin", "a", "b"});
  const auto I = p.key("I", fine(3));
  const auto even = p.flag("even");
  const auto c = p.number("c", 2);
  const auto C = p.integer_direction("C");
  const std::vector<Flag> q = p.flags("q", 3);
  const auto r = p.onehot("r", {"0", "1", "2"});
  p.position(I).position_parity(even);
  p.token(kBegin, x == "begin").token("a", x == "a").token("b", x == "b");
  p.initial(fetch("count").causal(uniform()).add(c[0], x["a"]).add(c[1], x["begin"]),
            normalise(C).from(c[0], c[1]));
  for (int s = 0; s < 3; ++s)
    p.initial(
        fetch("floor." + std::to_string(s))
            .causal(nearest(cells::Ratio(Form(C[0]) / 3 + Fraction(3 + s, 3) * C[1], C[1])).key(I))
            .copy(q[static_cast<std::size_t>(s)], even));
  p.initial(
      lookup("residue",
             {when(q[0], !q[1]).then(r == "2"), when(!q[0], q[1]).then(r == "2"),
              when(q[0], q[1], !q[2]).then(r == "1"), when(!q[0], !q[1], q[2]).then(r == "1"),
              when(q[0], q[1], q[2]).then(r == "0"), when(!q[0], !q[1], !q[2]).then(r == "0")}));
  p.output("accept", r["0"]).output("reject", Form(r["1"]) + r["2"]);
  EXPECT_EQ(p.text(), print_program(fixture("count_modulo_three.cells")));
}

TEST(PositionCodes, HaveParametersFromOneOn) {
  using namespace cells;
  for (const PositionCode code :
       {phi_over(0), fine(0), PositionCode{PositionCode::Kind::circle, 2}}) {
    cells::Program p("codes");
    p.alphabet({"a"}).token("a").token(kBegin);
    p.key("I", code);
    p.output("o", {});
    try {
      (void)logdepth::compile(p.program());
      ADD_FAILURE() << code.parameter;
    } catch (const ProgramRefused& refused) {
      EXPECT_EQ(std::string(refused.what()),
                "the code of cell I has no parameter " + std::to_string(code.parameter));
    }
  }
  EXPECT_EQ(phi_over(1), phi);
}

INSTANTIATE_TEST_SUITE_P(Norms, PositionCodeFiles, testing::ValuesIn(kNorms),
                         [](const auto& info) { return std::string(norm_name(info.param)); });

}  // namespace
}  // namespace logdepth::position_code_files_tests
