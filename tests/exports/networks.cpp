// The description of a network: what it says of the scores of a head is true in exact runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "library/exports/float_arrays.hpp"
#include "library/exports/separations.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/command_line.hpp"

namespace logdepth::network_tests {
using namespace exports;
namespace {

/// Scores of an exact run beside what the network says: how far apart they are, and how far those of
/// float32 are from them.
class ScoreObserver final : public ForwardObserver<ValueId> {
 public:
  ScoreObserver(const Network& network, Runner& runner)
      : network_(network),
        pool_(runner.arithmetic().pool()),
        arrays_(float_arrays<float>(network)) {}

  void before(const Location&, const Stream<ValueId>& stream) override {
    stream_.assign(stream.tokens, std::vector<float>(network_.width));
    for (std::size_t t = 0; t < stream.tokens; ++t)
      for (std::size_t c = 0; c < network_.width; ++c)
        stream_[t][c] = static_cast<float>(pool_[stream.at(t, c)].approximate().value);
  }

  void on_head(const Location& at, std::size_t k, const HeadRows<ValueId>& rows) override {
    const NetworkHead& head = network_.layers[at.layer].heads[k];
    if (!head.compares) return;
    const std::string name = "layers." + std::to_string(at.layer) + ".heads." + std::to_string(k);
    for (std::size_t i = 0; i < rows.tokens(); ++i) {
      std::vector<double> scores;
      for (std::size_t j = 0; j < (head.causal ? i + 1 : rows.tokens()); ++j) {
        Real exact;
        for (std::size_t d = 0; d < rows.score_dimension(); ++d)
          exact = exact + pool_[rows.query(i)[d]] * pool_[rows.key(j)[d]];
        scores.push_back(exact.approximate().value);
        if (network_.layers[at.layer].attention.folded) {
          EXPECT_NEAR(rounded(name, i, j), scores.back(), head.loss) << name;
          ++near;
        }
      }
      const double largest = *std::max_element(scores.begin(), scores.end());
      for (const double score : scores)
        if (head.gap > 0 && largest - score > 1e-9) {
          EXPECT_GE(largest - score, head.gap * (1 - 1e-9)) << name;
          ++apart;
        }
    }
  }

  std::size_t apart = 0, near = 0;

 private:
  float rounded(const std::string& name, std::size_t i, std::size_t j) const {
    const auto read = [&](const std::string& matrix, std::size_t token, std::size_t row) {
      const FloatArray<float>& array = arrays_.at(name + matrix);
      float sum = 0;
      for (std::size_t c = 0; c < array.columns; ++c)
        sum += array.numbers[row * array.columns + c] * stream_[token][c];
      return sum;
    };
    float score = 0;
    for (std::size_t d = 0; d < arrays_.at(name + ".query").rows; ++d)
      score += read(".query", i, d) * read(".key", j, d);
    return score;
  }

  const Network& network_;
  const ValuePool& pool_;
  const FloatArrays<float> arrays_;
  std::vector<std::vector<float>> stream_;
};

class Networks : public support::CommandLine {
 protected:
  void expect_true_bounds(const std::vector<std::string>& construction) const {
    std::vector<std::string> arguments = {"compile"};
    arguments.insert(arguments.end(), construction.begin(), construction.end());
    arguments.insert(arguments.end(), {"-o", "model.json"});
    done(arguments);
    const Model model = read_weights(folder.file("model.json"));
    constexpr std::uint64_t kLength = 11;
    const Network network = network_of(model, {.length = kLength, .single = true});
    Runner runner(model);
    ScoreObserver scores(network, runner);
    std::mt19937_64 random(7);
    for (int word = 0; word < 5; ++word) {
      std::vector<std::string> letters;
      for (std::uint64_t i = 0; i < kLength; ++i)
        letters.push_back(model.alphabet[random() % model.alphabet.size()]);
      ASSERT_TRUE(runner.run_word(letters, {&scores}).has_value());
    }
    EXPECT_GT(scores.apart, 100u) << "no separation was looked at";
    EXPECT_GT(scores.near, 100u) << "no score was looked at";
  }
};

TEST_F(Networks, ScoresOfTheScanAreAsFarApartAsItSays) {
  for (const char* norm : {"rms", "layernorm"})
    for (const char* positions : {"two-circle", "circle", "first-flag"})
      expect_true_bounds({"regular", "--group", "S3", "--norm", norm, "--positions", positions});
}

TEST_F(Networks, ScoresOfTheTreeAreAsFarApartAsItSays) {
  expect_true_bounds({"regular", "--group", "S3", "--construction", "tree"});
}

TEST_F(Networks, ScoresOfTheCascadeAreAsFarApartAsItSays) {
  expect_true_bounds({"regular", "--regex", "(a|b)*abb", "--construction", "cascade"});
}

TEST_F(Networks, ScoresOfTheUnrolledRadixAreAsFarApartAsItSays) {
  expect_true_bounds(
      {"regular", "--group", "S3", "--construction", "radix", "--radix", "3", "--unroll", "20"});
}

TEST_F(Networks, AnExactWeightOfMoreThanSixtyFourBitsIsRefusedByTheNameOfItsMatrix) {
  done({"compile", "regular", "--group", "Z6", "-o", "model.json"});
  Network network = network_of(read_weights(folder.file("model.json")), {.length = 3});
  const auto arrays = float_arrays<double>(network);
  EXPECT_NO_THROW((void)tensors_of(network, arrays));
  Rational& weight = network.layers[0].heads[0].key.entries[0].value;
  weight = weight * *Rational::parse("9223372036854775808");
  try {
    (void)tensors_of(network, arrays);
    ADD_FAILURE() << "it was written";
  } catch (const ExportRefused& refused) {
    EXPECT_NE(std::string(refused.what()).find("layers.0.heads.0.key: the exact weight"),
              std::string::npos)
        << refused.what();
  }
}

}  // namespace
}  // namespace logdepth::network_tests
