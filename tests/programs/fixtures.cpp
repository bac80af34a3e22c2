// Programs in their text form, with what they must answer in their comments:
//   # word: ab -> accept           the answer (accept, reject, undecided) at the last token
//   # output: ab: name = 0 1/2 1   a named output at every token, the beginning token included
// With other inputs than words:
//   # graph: 3 0-1 1-2 s0 t2 -> accept     vertices, edges, source and target (0 where left out)
//   # output: 0 1 / 1 1: name = 0 1        raw cells: the given values of each token
// Each line is asked of the interpreter and of the exact forward pass in every compiled form.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/overload.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "objects/graph.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real_text.hpp"
#include "tests/support/places.hpp"

namespace logdepth::fixtures_tests {
namespace {

struct Expectation {
  std::string line, input;
  std::string name;                 ///< of the output; empty: the answer
  std::vector<std::string> values;  ///< the answer, or one value per token
};

struct Fixture {
  std::string file, text;
  friend void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.file; }
};

std::vector<Fixture> fixtures() {
  std::vector<Fixture> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_dir() + "/tests/programs")) {
    if (entry.path().extension() != ".cells") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    found.push_back({entry.path().filename().string(), text.str()});
  }
  std::sort(found.begin(), found.end(),
            [](const Fixture& a, const Fixture& b) { return a.file < b.file; });
  return found;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<Expectation> expectations(const Fixture& fixture) {
  std::vector<Expectation> found;
  std::istringstream in(fixture.text);
  for (std::string line; std::getline(in, line);) {
    Expectation e;
    e.line = line;
    if (line.starts_with("# word:") || line.starts_with("# graph:")) {
      const std::size_t arrow = line.find("->"), colon = line.find(':');
      if (arrow == std::string::npos) throw std::runtime_error("no '->' in: " + line);
      e.input = line.substr(colon + 1, arrow - colon - 1);
      e.values = words_of(line.substr(arrow + 2));
    } else if (line.starts_with("# output:")) {
      const std::size_t colon = line.find(':', 9), sign = line.find('=', 9);
      if (colon == std::string::npos || sign == std::string::npos || sign < colon)
        throw std::runtime_error("no ': name =' in: " + line);
      e.input = line.substr(9, colon - 9);
      e.name = words_of(line.substr(colon + 1, sign - colon - 1)).at(0);
      e.values = words_of(line.substr(sign + 1));
    } else {
      continue;
    }
    found.push_back(e);
  }
  return found;
}

Tokens graph_input(const GraphInput& input, const std::string& text) {
  Graph graph;
  std::size_t source = 0, target = 0;
  for (const std::string& part : words_of(text)) {
    const std::size_t dash = part.find('-');
    if (part[0] == 's') {
      source = std::stoul(part.substr(1));
    } else if (part[0] == 't') {
      target = std::stoul(part.substr(1));
    } else if (dash == std::string::npos) {
      for (std::size_t i = 0; i < std::stoul(part); ++i) graph.add_vertex(std::to_string(i));
    } else {
      graph.add_edge(static_cast<Vertex>(std::stoul(part.substr(0, dash))),
                     static_cast<Vertex>(std::stoul(part.substr(dash + 1))));
    }
  }
  return graph_tokens(input, graph, source, target).value();
}

/// Letters of these fixtures are single characters.
Tokens tokens_of_text(const Program& program, const std::string& text) {
  return std::visit(Overload{[&](const WordInput& input) {
                               std::vector<std::string> letters;
                               for (const std::string& part : words_of(text))
                                 for (const char letter : part) letters.emplace_back(1, letter);
                               return word_tokens(input, letters).value();
                             },
                             [&](const GraphInput& input) { return graph_input(input, text); },
                             [&](const CellsInput&) {
                               std::vector<std::vector<Real>> rows(1);
                               for (const std::string& part : words_of(text)) {
                                 if (part == "/")
                                   rows.emplace_back();
                                 else
                                   rows.back().push_back(parse_real(part).value());
                               }
                               return cells_tokens(std::move(rows));
                             }},
                    program.input);
}

std::string answer(const Real& accept, const Real& reject) {
  return reject < accept ? "accept" : accept < reject ? "reject" : "undecided";
}

std::size_t row_named(const Program& program, const std::string& name) {
  for (std::size_t row = 0; row < program.outputs.size(); ++row)
    if (program.outputs[row].name == name) return row;
  throw std::runtime_error("no output is named " + name);
}

/// Every output at every token: what both ways of running hand over.
using Table = std::vector<std::vector<Real>>;  // token, row

std::vector<std::string> read(const Program& program, const Expectation& e, const Table& table) {
  if (e.name.empty())
    return {answer(table.back()[row_named(program, "accept")],
                   table.back()[row_named(program, "reject")])};
  std::vector<std::string> values;
  for (const auto& row : table) values.push_back(row[row_named(program, e.name)].text());
  return values;
}

class Fixtures : public testing::TestWithParam<Fixture> {
 protected:
  const Program program = parse_program(GetParam().text, GetParam().file);
  const std::vector<Expectation> expected = expectations(GetParam());
};

TEST_P(Fixtures, SayEnoughAndKeepTheirTextForm) {
  EXPECT_GE(expected.size(), 6u);
  for (const Expectation& e : expected) EXPECT_FALSE(e.values.empty()) << e.line;
  const std::string text = print_program(program);
  EXPECT_EQ(parse_program(text, "printed"), program);
  EXPECT_EQ(print_program(parse_program(text, "printed")), text);
}

TEST_P(Fixtures, AreInterpretedAsTheirCommentsSay) {
  for (const Expectation& e : expected) {
    const CellStates states = interpret(program, tokens_of_text(program, e.input));
    Table table(states.tokens);
    for (std::size_t token = 0; token < states.tokens; ++token)
      for (const OutputRow& row : program.outputs)
        table[token].push_back(output_value(states, row, token));
    EXPECT_EQ(read(program, e, table), e.values) << e.line;
  }
}

TEST_P(Fixtures, RunExactlyAsTheirCommentsSayInEveryForm) {
  for (const Norm norm : {Norm::rms, Norm::layernorm})
    for (const bool strict : {false, true}) {
      SCOPED_TRACE(std::string(norm == Norm::rms ? "rms" : "layernorm") +
                   (strict ? ", strict" : ""));
      const Model model = compile(program, {norm, strict, std::nullopt}).model;
      Runner runner(model);
      ContractCheck promises(model, runner.arithmetic());
      for (const Expectation& e : expected) {
        const auto stream = runner.run(tokens_of_text(program, e.input), {&promises});
        ASSERT_TRUE(stream.has_value()) << e.line << ": " << describe(stream.refusal());
        const std::size_t tokens = stream.value().tokens;
        if (e.name.empty()) {
          const auto accepts = runner.accepts(stream.value(), tokens - 1);
          EXPECT_EQ(accepts.has_value() ? accepts.value() ? "accept" : "reject" : "undecided",
                    e.values.at(0))
              << e.line;
          continue;
        }
        Table table;
        for (std::size_t token = 0; token < tokens; ++token)
          table.push_back(runner.logits(stream.value(), token));
        EXPECT_EQ(read(program, e, table), e.values) << e.line;
      }
      EXPECT_EQ(promises.broken().value_or(""), "");
    }
}

// A head that selects something else than it promises must not go unnoticed.
TEST_P(Fixtures, ReportTheHeadWhoseContractIsBroken) {
  Tokens longest;
  for (const Expectation& e : expected)
    if (const Tokens tokens = tokens_of_text(program, e.input);
        tokens.kinds.size() > longest.kinds.size())
      longest = tokens;
  const Model good = compile(program).model;
  for (std::size_t l = 0; l < good.layers.size(); ++l)
    for (std::size_t k = 0; k < good.layers[l].attention.heads.size(); ++k) {
      Model broken = good;
      Head& head = broken.layers[l].attention.heads[k];
      if (std::holds_alternative<UniformContract>(head.contract)) {
        head.contract = MatchContract{true};
      } else {
        head.query.entries.clear();  // every visible position is selected
      }
      Runner runner(broken);
      ContractCheck promises(broken, runner.arithmetic());
      // Later layers may well leave the field after such a fault; the report is what counts.
      (void)runner.run(longest, {&promises});
      ASSERT_TRUE(promises.broken().has_value()) << "layer " << l << ", head " << k;
      EXPECT_NE(promises.broken()->find("head " + std::to_string(k) + ", "), std::string::npos)
          << *promises.broken();
    }
}

// The numbers that the construction files and the theory claim of these small programs.
TEST(FixtureSizes, AreOneLayerForTheFlipFlopAndOneRepeatedLayerForTheScan) {
  const auto shape_of = [](const std::string& file) {
    for (const Fixture& fixture : fixtures())
      if (fixture.file == file) return compile(parse_program(fixture.text, file)).model->shape;
    throw std::runtime_error("no fixture " + file);
  };
  EXPECT_EQ(shape_of("flip_flop_in_one_head.cells"), (Shape{1, 0, 0}));
  EXPECT_EQ(shape_of("flip_flop_from_the_first_flag.cells"), (Shape{2, 0, 0}));
  EXPECT_EQ(shape_of("parity_by_scan.cells"), (Shape{0, 1, 0}));
  EXPECT_EQ(shape_of("three_loops_shift_by_three.cells"), (Shape{0, 1, 0}));
  EXPECT_EQ(shape_of("reachable_by_one_head_per_vertex.cells"), (Shape{0, 1, 0}));
  EXPECT_EQ(shape_of("count_modulo_three.cells"), (Shape{2, 0, 0}));
  EXPECT_EQ(shape_of("floor_of_a_ninth.cells"), (Shape{3, 0, 0}));
  EXPECT_EQ(fixtures().size(), 36u);
}

INSTANTIATE_TEST_SUITE_P(Programs, Fixtures, testing::ValuesIn(fixtures()), [](const auto& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
});

}  // namespace
}  // namespace logdepth::fixtures_tests
