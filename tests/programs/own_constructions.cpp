// The constructions of examples/library: each one written with the builder and as text, compiled, and
// asked beside a plain definition of what it should say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <ostream>
#include <pugixml.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/passes/compile.hpp"
#include "compiler/program/program_text.hpp"
#include "examples/library/dyck1.hpp"
#include "examples/library/flipflop.hpp"
#include "examples/library/majority.hpp"
#include "examples/library/sorting.hpp"
#include "runtime/exact/contract_check.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/fixed_seed.hpp"
#include "tests/support/places.hpp"
#include "tests/support/words.hpp"

namespace logdepth::own_construction_tests {
namespace {

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

}  // namespace
}  // namespace logdepth::own_construction_tests
