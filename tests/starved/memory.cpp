// --memory: what an exact run may hold, the digits of its numbers included.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "logdepth/errors.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/starved/commands.hpp"
#include "tests/support/places.hpp"

namespace logdepth::starved {
namespace {

/// An odd number of so many digits; two of them have next to nothing in common.
std::string digits(std::size_t count, std::mt19937_64& random) {
  std::string text(count, '1');
  for (std::size_t i = 0; i + 1 < count; ++i)
    text[i] = static_cast<char>('1' + std::uniform_int_distribution<int>(0, 8)(random));
  return text;
}

SparseMatrix matrix(std::uint32_t rows, std::uint32_t columns,
                    std::vector<MatrixEntry> entries = {}) {
  return {rows, columns, std::move(entries)};
}

/// One layer, an answer that is always the same, and no letter but `letters`.
Model one_layer(std::uint32_t width, std::vector<std::string> letters) {
  Model model;
  model.name = "large numbers";
  model.alphabet = std::move(letters);
  model.input = WordInput{false, false};
  model.output = AcceptOutput{};
  model.width = width;
  model.shape = {1, 0, 0};
  model.unroll.kind = Unroll::Kind::fixed;
  model.position = FirstFlagPosition{};
  for (const std::string& letter : model.alphabet) model.embedding[letter] = {{0, Rational(1)}};
  model.layers.resize(1);
  model.layers[0].block = Block::initial;
  model.layers[0].feedforward.in = matrix(0, width);
  model.layers[0].feedforward.out = matrix(width, 0);
  model.unembedding = matrix(2, width, {{0, 0, Rational(1)}});
  return model;
}

/// Units that hold fractions of different denominators, and many sums of all of them: a file of
/// `units` long numbers needs the room of `sums` times as many.
Model many_sums(std::uint32_t units, std::uint32_t sums, std::size_t length) {
  std::mt19937_64 random(1);
  Model model = one_layer(1 + sums, {"a"});
  FeedForward& block = model.layers[0].feedforward;
  block.mask = {{0, Rational(1)}};
  block.in = matrix(units, model.width);
  block.out = matrix(model.width, units);
  for (std::uint32_t unit = 0; unit < units; ++unit)
    block.in.entries.push_back({unit, 0, Rational(mpq_class("1/" + digits(length, random)))});
  for (std::uint32_t sum = 0; sum < sums; ++sum)
    for (std::uint32_t unit = 0; unit < units; ++unit)
      block.out.entries.push_back({1 + sum, unit, Rational(1 + std::int64_t{sum} * unit % 7)});
  return model;
}

/// A head that averages what it has seen so far: points of the circle x^2 + y^2 = 1, each with
/// another denominator, so that the average over n letters has the digits of all of them.
Model long_averages(std::size_t letters, std::size_t length) {
  std::mt19937_64 random(2);
  std::vector<std::string> alphabet;
  for (std::size_t i = 0; i < letters; ++i) alphabet.push_back("l" + std::to_string(i));
  Model model = one_layer(4, alphabet);
  for (const std::string& letter : alphabet) {
    const mpq_class t("1/" + digits(length, random)), square = t * t;
    const mpq_class x = (1 - square) / (1 + square), y = 2 * t / (1 + square);
    model.embedding[letter] = {{0, Rational(x)}, {1, Rational(y)}};
  }
  Attention& attention = model.layers[0].attention;
  attention.mask = {{0, Rational(1)}, {1, Rational(1)}};
  Head head;
  head.query = head.key = matrix(1, 4);
  head.value = matrix(2, 4, {{0, 0, Rational(1)}, {1, 1, Rational(1)}});
  head.output = matrix(4, 2, {{2, 0, Rational(1)}, {3, 1, Rational(1)}});
  head.contract = UniformContract{};
  attention.heads.push_back(head);
  return model;
}

class Memory : public Starved {
 protected:
  /// That the run is refused in this sublayer, long before it had the room of its numbers. The
  /// program itself and the file take most of a quarter of a GiB of address space.
  void refused(const Model& model, const std::string& input, const std::string& place) const {
    save_weights(model, folder.file("large.json"));
    folder.write("input.txt", input);
    const std::string room = support::sanitized() ? "" : "ulimit -v 262144;";
    const auto finished = starve(room, {"run", "large.json", "--tokens", "@input.txt", "--threads",
                                        "1", "--memory", "0.015625"});
    EXPECT_EQ(finished.status, 3);
    EXPECT_EQ(finished.out, "resource limit exceeded\n");
    EXPECT_TRUE(finished.err.starts_with("logdepth: " + place + ": ")) << finished.err;
    EXPECT_NE(finished.err.find("; the limit is 16384 KiB"), std::string::npos) << finished.err;
  }
};

TEST_F(Memory, CountsTheDigitsOfSumsThatAreStillAddedUp) {
  refused(many_sums(60, 200, 19990), "a", "layer 1, feed-forward of 1 tokens");
}

TEST_F(Memory, CountsTheDigitsOfAverages) {
  std::string word;
  for (int i = 0; i < 240; ++i) word += (i > 0 ? " l" : "l") + std::to_string(i);
  refused(long_averages(240, 4900), word, "layer 1, attention of 240 tokens");
}

// Most of what the first input asked for was in sums that were never closed: what the runner
// remembers stays, and is right.
TEST(MemoryOfARunner, AnInputAfterOneThatWasRefusedIsAnsweredAsAlone) {
  Model model = many_sums(60, 200, 19990);
  model.alphabet = {"a", "b"};
  model.embedding["b"] = {{0, Rational(-1)}};
  model.output = CellsOutput{{"sum", "last"}};
  model.unembedding = {2, model.width, {{0, 1, Rational(1)}, {1, model.width - 1, Rational(1)}}};
  Runner runner(model, 1, std::size_t{1} << 23), alone(model);
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_THROW((void)runner.run_word({"a"}), SizeLimit);
    EXPECT_LT(runner.bytes(), std::size_t{1} << 22);
    const auto stream = runner.run_word({"b"}), expected = alone.run_word({"b"});
    EXPECT_EQ(runner.logits(stream.value(), 0), alone.logits(expected.value(), 0));
  }
}

// GMP by itself aborts where it gets no memory.
TEST_F(Memory, ThatTheSystemDoesNotGiveIsSaid) {
  if (support::sanitized()) return;  // terabytes of addresses
  std::string word;
  for (int i = 0; i < 240; ++i) word += (i > 0 ? " l" : "l") + std::to_string(i);
  save_weights(long_averages(240, 4900), folder.file("large.json"));
  folder.write("input.txt", word);
  const auto finished =
      starve("ulimit -v 262144;", {"run", "large.json", "--tokens", "@input.txt"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "");
  EXPECT_EQ(finished.err, "logdepth: out of memory\n");
}

TEST_F(Memory, IsLimitedInEveryCommandThatRunsAFile) {
  // Has layers for a single letter, too.
  done({"compile", "regular", "--group", "S3", "--construction", "cascade", "-o", "cascade.json"});
  done({"compile", "division", "-o", "division.json"});
  const std::multimap<std::string, std::vector<std::string>> uses = {
      {"run", {"abb.json", "--input", "ab"}},
      {"run", {"division.json", "--divide", "20", "--by", "3"}},
      {"run", {"graph.json", "--graph", "graph.edges", "--source", "0", "--target", "1"}},
      {"test", {"abb.json", "--against", "(a|b)*abb", "--up-to", "3"}},
      {"diff", {"abb.json", "--input", "ab"}},
      {"draw", {"abb.json", "--input", "ab", "-o", "out.svg"}},
      {"export", {"abb.json", "--to", "torch", "--length", "4", "-o", "made/network"}},
      {"info", {"cascade.json"}},
      {"check", {"lem-3.1", "--up-to", "1", "--random", "1"}},
      {"compare depth", {"--up-to", "4"}},
      {"zoo", {"made/zoo", "--only", "group-Z2"}},
      {"report precision", {"--only", "temperature", "--out", "made"}}};
  std::set<std::string> limitable;
  for (const auto& use : uses) limitable.insert(use.first);
  EXPECT_EQ(limitable, commands("memory limit of exact runs in GiB"));
  EXPECT_EQ(limitable, commands("time limit of the command in seconds"));
  for (const auto& [command, arguments] : uses) {
    const std::vector<std::string> asked = words_of({command, arguments});
    std::vector<std::string> limited = asked;
    limited.insert(limited.end(), {"--memory", "0.000001"});
    const auto finished = starve("", limited);
    EXPECT_EQ(finished.status, 3) << asked[0] << "\n" << finished.err;
    EXPECT_NE(finished.err.find("; the limit is 2 KiB"), std::string::npos) << finished.err;
    limited.back() = "1";
    if (command != "report precision" && command != "compare depth") {  // take long
      EXPECT_EQ(starve("", limited).status, 0) << asked[0];
    }
    limited.back() = "0";
    const auto none = starve("", limited);
    EXPECT_EQ(none.status, 2) << asked[0];
    EXPECT_NE(none.err.find("--memory: expected a number of GiB above 0"), std::string::npos);
  }
}

}  // namespace
}  // namespace logdepth::starved
