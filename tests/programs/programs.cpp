// Programs in their text form, with what they must answer in their comments:
//   # word: ab -> accept           the answer (accept, reject, undecided) at the last token
//   # output: ab: name = 0 1/2 1   a named output at every token, the beginning token included
// With other inputs than words:
//   # graph: 3 0-1 1-2 s0 t2 -> accept     vertices, edges, source and target (0 where left out)
//   # output: 0 1 / 1 1: name = 0 1        raw cells: the given values of each token
// Each line is asked of the interpreter and of the exact forward pass in every compiled form.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <pugixml.hpp>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/overload.hpp"
#include "compiler/meaning/interpret.hpp"
#include "compiler/passes/compile.hpp"
#include "compiler/program/program.hpp"
#include "examples/library/dyck1.hpp"
#include "examples/library/flipflop.hpp"
#include "examples/library/majority.hpp"
#include "examples/library/sorting.hpp"
#include "objects/graph.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/numbers/real.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/places.hpp"

namespace logdepth::programs_tests { namespace {

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
  EXPECT_EQ(fixtures().size(), 37u);
}

INSTANTIATE_TEST_SUITE_P(Programs, Fixtures, testing::ValuesIn(fixtures()), [](const auto& info) {
  return info.param.file.substr(0, info.param.file.find('.'));
});

// The constructions of examples/library: each one written with the builder and as text, compiled, and
// asked beside a plain definition of what it should say.

/// What a word is worth: "accept" or "reject", or a letter for each letter of the word.
using Oracle = std::function<std::string(const Word&)>;

struct Construction {
  std::string name;  ///< of its files
  std::function<cells::Program()> written;
  Oracle oracle;
  Shape shape;
  std::vector<std::string> precision;  ///< what is proved of its numbers, and what is not
  friend void PrintTo(const Construction& c, std::ostream* out) { *out << c.name; }
};

std::string verdict(bool accepts) {
  return accepts ? "accept" : "reject";
}

// Letters are numbers in the order of the alphabet.
std::string more_ones(const Word& word) {
  return verdict(2 * std::count(word.begin(), word.end(), 1u) >
                 static_cast<std::ptrdiff_t>(word.size()));
}
std::string last_set(const Word& word) {
  const auto last =
      std::find_if(word.rbegin(), word.rend(), [](auto letter) { return letter != 0; });
  return verdict(last != word.rend() && *last == 1);
}
/// With a stack.
std::string well_nested(const Word& word) {
  std::vector<std::uint32_t> open;
  for (const auto letter : word) {
    if (letter == 0) {
      open.push_back(letter);
    } else if (open.empty()) {
      return "reject";
    } else {
      open.pop_back();
    }
  }
  return verdict(open.empty());
}
std::string in_order(const Word& word) {
  std::string text;
  for (const auto letter : word) text += static_cast<char>('a' + letter);
  std::sort(text.begin(), text.end());
  return text;
}

std::vector<Construction> constructions() {
  const auto proved = [](const std::string& text) { return "proved        final block, " + text; };
  const auto open = [](const std::string& text) { return "not proved    final block, " + text; };
  return {{"majority", majority, more_ones, {0, 0, 1}, {}},
          {"flipflop",
           flipflop,
           last_set,
           {0, 0, 1},
           {proved("layer 1, fetch 'last': selected positions outscore the others by at least 27/5 "
                   "/ N^3")}},
          {"dyck1",
           dyck1,
           well_nested,
           {0, 0, 2},
           {proved("layer 1, test below: excess is 0, or at least 1 / N away from it"),
            proved("layer 1, test even: excess is 0, or at least 1 / N away from it"),
            proved("layer 2, test never: times is 0, or at least 1 / N away from it")}},
          {"sorting",
           sorting,
           in_order,
           {0, 0, 6},
           {proved("layer 4, fetch 'compare': selected positions outscore the others by at least "
                   "25/8 / N^4"),
            open("layer 4, test behind_a: how near to 0 behind[0] comes where it is not 0"),
            open("layer 5, test behind_b: how near to 0 behind[1] comes where it is not 0")}}};
}

class OwnConstructions : public testing::TestWithParam<Construction> {
 protected:
  static std::string file(const std::string& path) {
    std::ifstream in(support::source_dir() + "/examples/" + path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string cells_file() const { return "programs/" + GetParam().name + ".cells"; }

  const cells::Program built = GetParam().written();
  const Program& program = built.program();
};

TEST_P(OwnConstructions, AreTheSameProgramAsTextAndWithTheBuilder) {
  EXPECT_EQ(built.text(), print_program(parse_program(file(cells_file()), cells_file())));
}

TEST_P(OwnConstructions, AreNoLongerThanAPage) {
  for (const std::string& path : {cells_file(), "library/" + GetParam().name + ".hpp"}) {
    const std::string text = file(path);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    EXPECT_GT(lines, 10) << path;
    EXPECT_LE(lines, 60) << path;
  }
}

/// Asks a model about words, and says what is wrong with its answers.
class Judge {
 public:
  Judge(const Construction& construction, const Model& model)
      : oracle_(construction.oracle),
        runner_(model),
        contracts_(model, runner_.arithmetic()),
        letters_(construction.written().program().alphabet) {}

  void ask(const Word& word) {
    std::vector<std::string> names;
    for (const auto letter : word) names.push_back(letters_.at(letter));
    const auto stream = runner_.run_word(names, {&contracts_});
    ASSERT_TRUE(stream.has_value()) << describe(stream.refusal());
    EXPECT_EQ(answer(stream.value()), oracle_(word)) << testing::PrintToString(names);
    EXPECT_EQ(contracts_.broken().value_or(""), "");
  }

 private:
  std::string answer(const Stream<ValueId>& stream) {
    const auto* named = std::get_if<CellsOutput>(&runner_.model().output);
    if (!named) {
      const auto accepts = runner_.accepts(stream, stream.tokens - 1);
      return accepts.has_value() ? verdict(accepts.value()) : "undecided";
    }
    std::string answer;
    for (std::size_t token = 1; token < stream.tokens; ++token) {
      const std::vector<Real> row = runner_.logits(stream, token);
      for (std::size_t i = 0; i < row.size(); ++i) {
        EXPECT_TRUE(row[i].is_zero() || row[i] == Real(Rational(1))) << row[i].text();
        if (!row[i].is_zero()) answer += named->names.at(i);
      }
    }
    return answer;
  }

  Oracle oracle_;
  Runner runner_;
  ContractCheck contracts_;
  std::vector<std::string> letters_;
};

TEST_P(OwnConstructions, AreRightOnEveryShortWordAndOnLongOnes) {
  const Model model = compile(program).model;
  EXPECT_EQ(model.shape, GetParam().shape);
  Judge judge(GetParam(), model);
  const std::size_t alphabet = program.alphabet.size();
  support::for_each_word(alphabet, 10, [&](const Word& word) { judge.ask(word); });
  std::mt19937_64 random(laws::seed());
  for (const std::size_t length : {100, 101, 127, 200, 333})
    for (int i = 0; i < 4; ++i) judge.ask(support::random_word(random, alphabet, length));
  // Long words that are nearly decided the other way.
  for (const std::size_t half : {50, 51, 128}) {
    Word word(half, 0);
    word.resize(2 * half, 1);
    judge.ask(word);
    word.push_back(1);
    judge.ask(word);
    std::reverse(word.begin(), word.end());
    judge.ask(word);
  }
}

// --- what the commands show of them --------------------------------------------------------------

class OwnConstructionsFromOutside : public support::CommandLine,
                                    public testing::WithParamInterface<Construction> {
 protected:
  void SetUp() override {
    const cells::Program built = GetParam().written();
    folder.write("built.cells", built.text());
    done({"compile", "program", "built.cells", "-o", "model.json"});
    std::mt19937_64 random(laws::seed());
    const Program& program = built.program();
    for (const auto letter : support::random_word(random, program.alphabet.size(), 120))
      word_ += program.alphabet.at(letter) + " ";
    for (const auto letter : support::random_word(random, program.alphabet.size(), 6))
      short_word_ += program.alphabet.at(letter) + " ";
  }
  std::string word_, short_word_;  ///< letters with a blank behind each
};

TEST_P(OwnConstructionsFromOutside, CompileToTheBytesOfTheirText) {
  done(
      {"compile", "program", example("programs/" + GetParam().name + ".cells"), "-o", "text.json"});
  EXPECT_EQ(folder.read("text.json"), folder.read("model.json"));
}

TEST_P(OwnConstructionsFromOutside, AreCertifiedInDoublePrecision) {
  for (const std::string& word : {short_word_, word_}) {
    const support::Finished run =
        logdepth({"run", "model.json", "--tokens", word, "--engine", "float64"});
    EXPECT_EQ(run.status, 0);
    EXPECT_NE(run.err.find("logdepth: certified"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, done({"run", "model.json", "--tokens", word}));
  }
}

TEST_P(OwnConstructionsFromOutside, DoNotLeaveTheMeaningOfTheirProgram) {
  const std::string text = example("programs/" + GetParam().name + ".cells");
  EXPECT_EQ(done({"diff", "model.json", "--tokens", word_}).substr(0, 6), "equal:");
  EXPECT_EQ(done({"diff", "model.json", "--program", text, "--tokens", word_}).substr(0, 6),
            "equal:");
  EXPECT_EQ(done({"diff", "model.json", "--engine", "float64", "--tokens", word_}).substr(0, 21),
            "equal up to rounding:");
}

TEST_P(OwnConstructionsFromOutside, SayWhatIsProvedOfTheirNumbersAndWhatIsNot) {
  std::vector<std::string> said;
  for (const std::string& line : support::lines(done({"info", "model.json", "--precision"})))
    if (line.starts_with("proved") || line.starts_with("not proved")) said.push_back(line);
  EXPECT_EQ(said, GetParam().precision);
}

// What no hash protects is believed once the program has been compiled again.
TEST_P(OwnConstructionsFromOutside, ProveNothingOfAFileWhoseProgramIsAnother) {
  std::string file = folder.read("model.json");
  const std::size_t at = file.find("alphabet ", file.find("logdepth-cells 1"));
  ASSERT_NE(at, std::string::npos);
  file.replace(at, 9, "alphabet Z ");
  folder.write("other.json", file);
  const std::string said = done({"info", "other.json", "--precision"});
  EXPECT_NE(said.find("\nnot proved    all values: "), std::string::npos) << said;
  EXPECT_EQ(said.find("\nproved"), std::string::npos) << said;
}

TEST_P(OwnConstructionsFromOutside, AreDrawnWithAndWithoutAWord) {
  done({"draw", "model.json", "-o", "circuit.svg"});
  done({"draw", "model.json", "--tokens", short_word_, "-o", "run.svg"});
  for (const std::string picture : {"circuit.svg", "run.svg"}) {
    pugi::xml_document document;
    const auto parsed = document.load_file(folder.file(picture).c_str());
    EXPECT_TRUE(parsed) << picture << ": " << parsed.description();
    EXPECT_GT(document.select_nodes("//text").size(), 5u) << picture;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, OwnConstructions, testing::ValuesIn(constructions()),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Examples, OwnConstructionsFromOutside, testing::ValuesIn(constructions()),
                         [](const auto& info) { return info.param.name; });

}}  // namespace logdepth::programs_tests
