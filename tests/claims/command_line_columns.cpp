// Exact runs by columns, as the program has them: the same answers, what --stats reports, and inputs that
// are left to the general path.

#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "library/runs/engine.hpp"
#include "library/runs/run_answers.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::command_line_columns_tests {
namespace {

using nlohmann::json;

class CommandLineColumns : public support::CommandLine {
 protected:
  static std::string random_text(std::size_t letters, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (std::size_t i = 0; i < letters; ++i) text += random() % 2 == 0 ? 'a' : 'b';
    return text;
  }
  json statistics(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "--stats"});
    return json::parse(done(arguments))["statistics"];
  }
};

TEST_F(CommandLineColumns, ALongWordIsRunByColumnsAndAShortOneIsNot) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  folder.write("long.txt", random_text(2047, 1));
  const json of_long = statistics({"s3.json", "--input", "@long.txt"});
  EXPECT_EQ(of_long["columns"]["inputs"], 1);
  EXPECT_EQ(of_long["columns"]["tokens"], 2048);
  EXPECT_EQ(of_long["columns"]["general_path"], 0);
  EXPECT_EQ(of_long["rows"], 2048 * 11);
  folder.write("short.txt", random_text(2046, 1));
  EXPECT_FALSE(statistics({"s3.json", "--input", "@short.txt"}).contains("columns"));
}

TEST_F(CommandLineColumns, ABatchRunsWordsOfOneLengthTogetherAndAnswersInOrder) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  std::string batch, alone;
  for (unsigned i = 0; i < 400; ++i)
    batch += random_text(i % 3 == 0 ? 11 : i % 3 == 1 ? 17 : i, i) + "\n";
  folder.write("batch.txt", batch);
  const json result = statistics({"s3.json", "--batch", "batch.txt", "--prefixes"});
  EXPECT_GT(result["columns"]["inputs"].get<std::size_t>(), 133u);
  EXPECT_LT(result["columns"]["inputs"].get<std::size_t>(), 300u);
  const Model model = read_weights(folder.file("s3.json"));
  const auto answers = [&](std::size_t least_column_tokens, bool announced) {
    std::vector<std::vector<std::string>> words;
    for (const std::string& line : support::lines(batch)) {
      auto& letters = words.emplace_back();
      for (const char letter : line) letters.emplace_back(1, letter);
    }
    RunAnswers run(model, exact_engine(model, 1, {}, least_column_tokens), Reading{});
    if (announced) run.announce(words);
    std::string text;
    for (const auto& word : words) {
      const RunAnswer answer = run.word(word);
      text += answer.verdict ? *answer.verdict ? "accept" : "reject" : "undecided";
      for (const auto& prefix : *answer.prefixes)
        text += prefix.has_value() ? " " + prefix_text(prefix.value().value) : " ?";
      text += "\n";
    }
    return text;
  };
  const std::string general = answers(static_cast<std::size_t>(-1), true);
  EXPECT_EQ(answers(1, true), general);
  EXPECT_EQ(answers(1, false), general);
  EXPECT_EQ(answers(kLeastColumnTokens, true), general);
}

TEST_F(CommandLineColumns, WhyAnInputIsLeftToTheGeneralPathIsReported) {
  done({"compile", "regular", "--group", "S3", "-o", "s3.json"});
  Model model = read_weights(folder.file("s3.json"));
  // A contract that the head does not keep: the general path says so.
  model.layers[0].attention.heads[0].contract = UniformContract{};
  save_weights(CheckedModel(std::move(model)), folder.file("changed.json"));
  folder.write("long.txt", random_text(2500, 2));
  const support::Finished finished =
      logdepth({"run", "changed.json", "--input", "@long.txt", "--stats"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_NE(
      finished.err.find("columns: 1 input left to the general path; layer 1, attention: head 0: "
                        "a selection contract that is not proved"),
      std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("selection contract violated: layer 1, head 0, token 1: expected all "
                              "visible positions, found 1 of 2"),
            std::string::npos)
      << finished.err;
}

}  // namespace
}  // namespace logdepth::command_line_columns_tests
