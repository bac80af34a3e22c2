// --seconds: whatever a command is doing, it ends when its time is up.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
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

using Clock = std::chrono::steady_clock;

/// Two heads that average over n positions what has a root of its own at each, and a sign that has
/// to be known of the sums: a file of a few kB.
Model square_roots(std::uint32_t n) {
  constexpr std::uint32_t kWidth = 7;
  const auto matrix = [](std::uint32_t rows, std::uint32_t columns,
                         std::vector<MatrixEntry> entries = {}) {
    return SparseMatrix{rows, columns, std::move(entries)};
  };
  Model model;
  model.name = "square roots";
  model.alphabet = {"a"};
  model.input = WordInput{false, false};
  model.output = AcceptOutput{};
  model.width = kWidth;
  model.shape = {2, 0, 0};
  model.unroll.kind = Unroll::Kind::fixed;
  TablePosition table;
  for (std::uint32_t p = 0; p < n; ++p)
    table.rows.push_back({{0, Rational(std::int64_t{p} + 1)}, {1, Rational(1)}});
  model.position = table;
  model.embedding["a"] = {{2, Rational(1)}};
  model.layers.resize(2);
  for (Layer& layer : model.layers) {
    layer.block = Block::initial;
    layer.feedforward.in = matrix(0, kWidth);
    layer.feedforward.out = matrix(kWidth, 0);
  }
  const auto head = [&](std::uint32_t from, std::uint32_t to) {
    Head head;
    head.query = head.key = matrix(1, kWidth);
    head.value = matrix(1, kWidth, {{0, from, Rational(1)}});
    head.output = matrix(kWidth, 1, {{to, 0, Rational(1)}});
    head.contract = UniformContract{};
    return head;
  };
  model.layers[0].attention.mask = {{0, Rational(1)}, {1, Rational(1)}};
  model.layers[0].attention.heads = {head(0, 3), head(1, 4)};
  model.layers[1].attention.mask = {{3, Rational(1)}};
  model.layers[1].attention.heads = {head(3, 5)};
  model.unembedding = matrix(2, kWidth, {{0, 2, Rational(1)}});
  return model;
}

class Time : public Starved {
 protected:
  /// That the command does not end by itself, and does when its second is over.
  support::Finished ends_late(const std::vector<std::string>& arguments) const {
    std::vector<std::string> limited = arguments;
    limited.insert(limited.end(), {"--seconds", "1"});
    const Clock::time_point begin = Clock::now();
    const auto finished = starve("", limited);
    EXPECT_EQ(finished.status, 3) << finished.err;
    EXPECT_EQ(finished.err,
              "logdepth: --seconds 1: time limit exceeded; the output before this line is valid\n");
    const std::chrono::duration<double> taken = Clock::now() - begin;
    EXPECT_GT(taken.count(), 0.9);
    EXPECT_LT(taken.count(), 20) << "a machine that is busy";
    return finished;
  }

  /// A file with as many loops as a program may have: minutes for a long word.
  void write_endless() const {
    std::filesystem::copy_file(
        support::source_dir() + "/tests/programs/three_loops_shift_by_three.cells",
        folder.path() / "endless.cells");
    std::string text = folder.read("endless.cells");
    const std::string loops = "fixed 3";
    const std::size_t at = text.find(loops);
    ASSERT_NE(at, std::string::npos);
    folder.write("endless.cells", text.replace(at, loops.size(), "fixed 1048576"));
    done({"compile", "program", "endless.cells", "-o", "endless.json"});
  }
};

TEST_F(Time, EveryCommandThatRunsAFileEndsWhenItIsUp) {
  write_endless();
  const std::string word(70, 'a');
  EXPECT_EQ(ends_late({"run", "endless.json", "--input", word}).out, "");
  ends_late({"run", "endless.json", "--input", word, "--engine", "float64"});
  ends_late({"test", "abb.json", "--against", "(a|b)*abb", "--up-to", "20"});
  ends_late({"diff", "endless.json", "--input", word});
  ends_late({"draw", "endless.json", "--input", word, "-o", "out.svg"});
  ends_late({"export", "abb.json", "--to", "torch", "--length", "20000", "-o", "made/network"});
  ends_late({"check", "--report", "made/report"});
  ends_late({"compare", "depth", "--out", "made/depth"});
}

TEST_F(Time, FilesThatRunForYearsEndWhenItIsUp) {
  Model model = read_weights(folder.file("abb.json"));
  model.unroll = {Unroll::Kind::fixed, 0, 1'000'000'000, std::nullopt, 2};
  save_weights(model, folder.file("loops.json"));
  EXPECT_EQ(ends_late({"run", "loops.json", "--input", "ab"}).out, "");
  ends_late({"run", "loops.json", "--input", "ab", "--engine", "float64"});
  ends_late({"test", "loops.json", "--against", "(a|b)*abb", "--up-to", "3"});
  // Nothing is run that long unasked.
  const auto sheet = starve("", {"info", "loops.json"});
  EXPECT_EQ(sheet.status, 0);
  EXPECT_NE(sheet.out.find("not tested: each word of one letter takes 1000000000 layers"),
            std::string::npos)
      << sheet.out;

  save_weights(square_roots(400), folder.file("roots.json"));
  const std::string word(400, 'a');
  ends_late({"run", "roots.json", "--input", word});
  EXPECT_EQ(done({"run", "roots.json", "--input", "aaaa"}), "accept\n");
}

TEST_F(Time, ATimerThatWhoStartedTheCommandIgnoresIsHeardAllTheSame) {
  write_endless();
  const auto finished = starve(
      "trap '' ALRM;", {"run", "endless.json", "--input", std::string(70, 'a'), "--seconds", "1"});
  EXPECT_EQ(finished.status, 3);
}

TEST_F(Time, AnswersThatWerePrintedStandWhole) {
  save_weights(square_roots(400), folder.file("roots.json"));
  folder.write("words.txt", "a\naa\n" + std::string(400, 'a') + "\n");
  EXPECT_EQ(ends_late({"run", "roots.json", "--batch", "words.txt"}).out, "accept\naccept\n");
}

TEST_F(Time, WhatIsDoneInTimeIsAsWithoutALimit) {
  const std::vector<std::string> asked = {"run", "abb.json", "--input", "aabb", "--json"};
  std::vector<std::string> limited = asked;
  limited.insert(limited.end(), {"--seconds", "1000"});
  EXPECT_EQ(done(limited), done(asked));
}

TEST_F(Time, ATimeThatIsNoneIsBadInput) {
  for (const char* seconds : {"0", "-1", "1e9", "nan", "inf", "soon", ""}) {
    const auto finished = logdepth({"run", "abb.json", "--input", "ab", "--seconds", seconds});
    EXPECT_EQ(finished.status, 2) << seconds;
    EXPECT_EQ(finished.out, "");
    EXPECT_NE(finished.err.find("--seconds: "), std::string::npos) << finished.err;
  }
}

}  // namespace

// --memory: what an exact run may hold, the digits of its numbers included.

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
  Runner runner(model, std::size_t{1} << 23), alone(model);
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
      {"zoo", {"made/zoo", "--only", "group-Z2"}}};
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
    if (command != "compare depth") {  // takes long
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
