// --seconds: whatever a command is doing, it ends when its time is up.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

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
  ends_late({"report", "precision", "--out", "made"});
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
}  // namespace logdepth::starved
