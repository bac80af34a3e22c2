// Long words and large graphs, exactly: every prefix product, and that the cost does not grow with
// the square of the length. Sizes beyond these are measured by bench/exact_cost.

#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "logdepth/errors.hpp"
#include "objects/action.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/words.hpp"

namespace logdepth::runs_at_length_tests {
namespace {

using nlohmann::json;
using support::Finished;
using support::lines;

class RunsAtLength : public support::CommandLine {
 protected:
  void compile_a5(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"compile", "regular", "--group", "A5", "-o", "a5.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    done(arguments);
  }

  static std::string random_text(std::size_t letters, unsigned seed) {
    std::mt19937_64 random(seed);
    std::string text;
    for (std::size_t i = 0; i < letters; ++i) text += random() % 2 == 0 ? 'a' : 'b';
    return text;
  }

  /// The products of all prefixes, one letter after the other, as `run --prefixes` prints them.
  static std::string products(const std::string& word) {
    const std::vector<std::size_t> images[] = {{1, 2, 0, 3, 4}, {1, 2, 3, 4, 0}};
    std::vector<std::size_t> now = {0, 1, 2, 3, 4};
    std::string text;
    for (const char letter : word) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        now[i] = images[letter - 'a'][now[i]];
        text += (i == 0 ? "[" : ",") + std::to_string(now[i]);
      }
      text += "]\n";
    }
    return text;
  }
};

TEST_F(RunsAtLength, EveryPrefixProductOfThirtyThousandLettersIsRightAndNoTwoKeysAreCompared) {
  compile_a5({});
  const std::string word = random_text(30000, 1);
  folder.write("word.txt", word);
  EXPECT_EQ(done({"run", "a5.json", "--input", "@word.txt", "--prefixes"}), products(word));
  const json statistics = json::parse(
      done({"run", "a5.json", "--input", "@word.txt", "--json", "--stats"}))["statistics"];
  EXPECT_EQ(statistics["rows"], 30001 * 15);
  EXPECT_EQ(statistics["rows_by_rule"]["match"], statistics["rows"]);
  EXPECT_EQ(statistics["scores"], 0);
}

TEST_F(RunsAtLength, TheTreeComparesFewKeysPerRow) {
  compile_a5({"--construction", "tree"});
  const std::string word = random_text(3000, 2);
  folder.write("word.txt", word);
  EXPECT_EQ(done({"run", "a5.json", "--input", "@word.txt", "--prefixes"}), products(word));
  const json statistics = json::parse(
      done({"run", "a5.json", "--input", "@word.txt", "--json", "--stats"}))["statistics"];
  std::size_t rows = 0;
  for (const char* rule : {"uniform", "match", "angle", "one_query", "distinct_keys"})
    rows += statistics["rows_by_rule"][rule].get<std::size_t>();
  EXPECT_EQ(rows, statistics["rows"]);
  EXPECT_EQ(statistics["rows_by_rule"]["distinct_keys"], 0);
  EXPECT_LT(statistics["scores"].get<std::size_t>(), 2 * rows);
}

TEST_F(RunsAtLength, ThreadsChangeNeitherAnswersNorCounters) {
  done({"compile", "connectivity", "-o", "graph.json"});
  std::mt19937_64 random(3);
  std::vector<std::string> names;
  for (int vertex = 1; vertex <= 14; ++vertex) names.push_back(std::to_string(vertex));
  const Graph graph = support::random_graph(random, names, 0.1);
  folder.write("graph.txt", support::edge_list_text(graph));
  const ReachabilityOracle oracle(graph);
  std::string pairs, expected;
  for (const Vertex source : {0u, 5u})
    for (const Vertex target : {3u, 13u}) {
      pairs += names[source] + " " + names[target] + "\n";
      expected += oracle.reaches(source, target) ? "connected\n" : "not connected\n";
    }
  folder.write("pairs.txt", pairs);
  std::vector<json> statistics;
  for (const char* threads : {"1", "2", "7"}) {
    const std::vector<std::string> run = {"run",     "graph.json", "--graph",   "graph.txt",
                                          "--batch", "pairs.txt",  "--threads", threads};
    EXPECT_EQ(done(run), expected);
    auto with_statistics = run;
    with_statistics.insert(with_statistics.end(), {"--json", "--stats"});
    statistics.push_back(json::parse(done(with_statistics))["statistics"]);
    EXPECT_EQ(statistics.back()["columns"]["general_path"], 0);
    EXPECT_EQ(statistics.back(), statistics.front()) << threads << " threads";
  }

  const Model model = read_weights(folder.file("graph.json"));
  std::vector<std::size_t> scores;
  for (const std::size_t threads : {1, 2, 7}) {
    Runner runner(model, threads);  // the general path
    const auto stream = runner.run_graph(graph, 0, 3);
    ASSERT_TRUE(stream.has_value());
    EXPECT_EQ(runner.connected(stream.value(), 0, 3).value(), oracle.reaches(0, 3));
    scores.push_back(runner.arithmetic().statistics().scores);
    // Enough scores for several threads to have a share.
    EXPECT_GT(scores.back(), std::size_t{1} << 20);
    EXPECT_EQ(scores.back(), scores.front()) << threads << " threads";
  }
}

TEST_F(RunsAtLength, MemosAreDroppedWhenMemoryRunsShortAndTheAnswersStay) {
  compile_a5({});
  const Model model = read_weights(folder.file("a5.json"));
  const std::string word = random_text(2000, 4);
  std::vector<std::string> letters;
  for (const char letter : word) letters.emplace_back(1, letter);
  std::size_t refused = 0, answered = 0;
  for (std::size_t memory = std::size_t{1} << 26; memory > 1 << 14; memory -= memory / 8) {
    Runner runner(model, 1, memory);
    try {
      const auto stream = runner.run_word(letters);
      ASSERT_TRUE(stream.has_value());
      EXPECT_LE(runner.bytes(), memory);
      std::string text;
      for (std::size_t i = 0; i < letters.size(); ++i) {
        const auto product = runner.prefix(stream.value(), runner.first_letter() + i);
        ASSERT_TRUE(product.has_value());
        text += format_transformation(std::get<Transformation>(product.value())) + "\n";
      }
      EXPECT_EQ(text, products(word));
      EXPECT_EQ(refused, 0u) << "less memory was refused before";
      ++answered;
    } catch (const SizeLimit&) {
      ++refused;
    }
  }
  EXPECT_GT(answered, 10u);
  EXPECT_GT(refused, 10u);
}

TEST_F(RunsAtLength, AnInputThatNeedsTooMuchMemoryIsRefusedAndTheOthersAreAnswered) {
  compile_a5({});
  folder.write("word.txt", random_text(60000, 5));  // too long for columns as well
  const Finished finished =
      logdepth({"run", "a5.json", "--input", "@word.txt", "--memory", "0.001"});
  EXPECT_EQ(finished.status, 3);
  EXPECT_EQ(finished.out, "resource limit exceeded\n");
  EXPECT_NE(finished.err.find("layer 1, attention of 60001 tokens: the run holds "),
            std::string::npos)
      << finished.err;
  EXPECT_NE(finished.err.find("; the limit is 1049 KiB"), std::string::npos) << finished.err;
  const Finished batch = logdepth({"run", "a5.json", "--batch", "-", "--memory", "0.001", "--json"},
                                  "aaa\n" + random_text(60000, 5) + "\n\n");
  EXPECT_EQ(batch.status, 3);
  EXPECT_NE(batch.err.find("word 2: layer 1, "), std::string::npos) << batch.err;
  const json results = json::parse(batch.out)["results"];
  EXPECT_EQ(results[0]["outcome"], "accept");
  EXPECT_EQ(results[1]["outcome"], "beyond a limit");
  EXPECT_EQ(results[2]["outcome"], "accept");
  for (const char* option : {"--memory", "--threads"})
    for (const char* value : {"0", "-1", "nan", "1e30", "abc"}) {
      const Finished refused = logdepth({"run", "a5.json", "--input", "ab", option, value});
      EXPECT_EQ(refused.status, 2) << option << " " << value;
      EXPECT_LT(refused.err.size(), 200u) << refused.err;
    }
}

TEST_F(RunsAtLength, ABatchForgetsEarlierWordsBeforeItRunsOutOfMemory) {
  compile_a5({"--construction", "tree"});
  std::string batch, expected;
  for (unsigned i = 0; i < 40; ++i) {
    const std::string word = random_text(150 + i, i);
    batch += word + "\n";
    expected += (i == 0 ? "" : "\n") + products(word);
  }
  folder.write("batch.txt", batch);
  const std::vector<std::string> run = {"run", "a5.json", "--batch", "batch.txt", "--prefixes"};
  EXPECT_EQ(done(run), expected);
  const auto values = [&](const std::string& memory) {
    auto with_statistics = run;
    with_statistics.insert(with_statistics.end(), {"--memory", memory, "--json", "--stats"});
    return json::parse(done(with_statistics))["statistics"]["distinct_values"].get<std::size_t>();
  };
  auto tight = run;
  tight.insert(tight.end(), {"--memory", "0.002"});
  EXPECT_EQ(done(tight), expected);
  EXPECT_LT(values("0.002"), values("1")) << "nothing was forgotten";
}

}  // namespace
}  // namespace logdepth::runs_at_length_tests
