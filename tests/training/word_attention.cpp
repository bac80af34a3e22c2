// The attention that is read off networks of word problems, beside what their blocks compute, and
// the circuit of a network whose heads are set by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "learned/core/network.hpp"
#include "learned/core/universal_transformer.hpp"
#include "learned/records/task.hpp"
#include "learned/word_problems/prefix_circuit.hpp"
#include "learned/word_problems/task_words.hpp"
#include "learned/word_problems/word_attention_network.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::word_attention_tests { namespace {

using learned_tests::parameter;
using learned_tests::Tensor;

RunConfig small_run(WordModel kind, std::uint32_t depth) {
  RunConfig config = word_problem("S3", kind, depth);
  config.task.as<WordTaskConfig>().max_length = 8;
  config.task.as<WordTaskConfig>().positions = WordTaskConfig::Positions::table;
  config.model.positions = ModelConfig::Positions::none;
  config.model.norm = ModelConfig::NormKind::layernorm;
  config.model.width = 8;
  config.model.heads = 2;
  config.model.hidden = 12;
  return config;
}

UniversalTransformer network_of(const RunConfig& config) {
  return {config.model, config.task->make_task(1)->format(), 5, torch::kCPU, torch::kFloat64};
}

const std::vector<std::uint32_t> kWord = {1, 0, 3, 5, 2};

TEST(WordAttention, RowsSumToOneAndNobodyReadsWhatComesLater) {
  const RunConfig config = small_run(WordModel::adaptive_loop, 1);
  const WordAttention attention = read_word_attention(network_of(config), config, {kWord, 70, 3});
  ASSERT_EQ(attention.word.size(), 3u) << "as many loops as five letters have doublings";
  ASSERT_EQ(attention.answers.size(), kWord.size());
  for (const auto* levels : {&attention.word, &attention.mean})
    for (std::size_t level = 0; level < 3; ++level) {
      EXPECT_EQ((*levels)[level].name, "iteration " + std::to_string(level + 1));
      EXPECT_EQ((*levels)[level].note, "layer 1");
      ASSERT_EQ((*levels)[level].heads.size(), 2u);
      for (const AttentionMatrix& head : (*levels)[level].heads)
        for (std::size_t i = 0; i < kWord.size(); ++i) {
          double sum = 0;
          for (std::size_t j = 0; j < kWord.size(); ++j) {
            sum += head[i][j];
            if (j > i) {
              EXPECT_EQ(head[i][j], 0) << i << " reads " << j;
            }
          }
          EXPECT_NEAR(sum, 1, 1e-9);
        }
    }
}

/// The first layer of a stack without positions in its scores: what it gives each of `tokens`, of
/// which the word's letters are the last.
void expect_first_layer(const UniversalTransformer& network, const RunConfig& config,
                        const Tensor& state) {
  const WordAttention attention = read_word_attention(network, config, {kWord, 1, 1});
  ASSERT_EQ(attention.word.size(), 2u);
  EXPECT_EQ(attention.word[1].name, "layer 2");
  ASSERT_EQ(attention.answers.size(), kWord.size());
  const std::int64_t tokens = state.size(0), before = tokens - 5;
  const Tensor deviation = state - state.mean(-1, true);
  const Tensor normed = deviation / (deviation.square().mean(-1, true) + 1e-5).sqrt();
  const Tensor all =
      torch::matmul(normed, parameter(network, "initial.0.query_key_value.weight").t());
  for (std::int64_t head = 0; head < 2; ++head) {
    const Tensor q = all.narrow(1, 4 * head, 4), k = all.narrow(1, 8 + 4 * head, 4);
    const AttentionMatrix& found = attention.word[0].heads[static_cast<std::size_t>(head)];
    ASSERT_EQ(found.size(), kWord.size());
    for (std::int64_t i = before; i < tokens; ++i) {
      const Tensor scores = torch::matmul(k.narrow(0, 0, i + 1), q[i]) / std::sqrt(4.0);
      const Tensor shares = scores.exp() / scores.exp().sum();
      for (std::int64_t j = before; j <= i; ++j)
        EXPECT_NEAR(found[i - before][j - before], shares[j].item<double>(), 1e-9)
            << head << ": " << i << " reads " << j;
    }
  }
}

Tensor rows_of(const UniversalTransformer& network, const std::vector<std::int64_t>& tokens) {
  return parameter(network, "embedding.0").index_select(0, torch::tensor(tokens));
}

TEST(WordAttention, TheFirstLayerIsWhatItsWeightsSay) {
  const RunConfig config = small_run(WordModel::stack, 2);
  const UniversalTransformer network = network_of(config);
  expect_first_layer(
      network, config,
      rows_of(network, {1, 0, 3, 5, 2}) + parameter(network, "embedding.1").narrow(0, 0, 5));
}

TEST(WordAttention, WhatATokenBeforeTheWordIsGivenIsLeftOut) {
  RunConfig config = small_run(WordModel::stack, 2);
  auto& task = config.task.as<WordTaskConfig>();
  task.positions = WordTaskConfig::Positions::begin;
  task.max_length = 4;  // of the lessons; a word may be longer
  const UniversalTransformer network = network_of(config);
  expect_first_layer(network, config, rows_of(network, {6, 1, 0, 3, 5, 2}));
}

TEST(WordAttention, TheMeanIsThatOfTheWordsThatTheSeedDraws) {
  const RunConfig config = small_run(WordModel::adaptive_loop, 1);
  const UniversalTransformer network = network_of(config);
  constexpr std::uint32_t kWords = 67;  // more than are read at once
  const WordAttention all = read_word_attention(network, config, {kWord, kWords, 9});
  double mean = 0;
  for (std::uint32_t i = 0; i < kWords; ++i) {
    CounterRandom random(9, RandomStream::validation, 0, i);
    std::vector<std::uint32_t> word(kWord.size());
    for (std::uint32_t& letter : word) letter = static_cast<std::uint32_t>(random.below(6));
    mean += read_word_attention(network, config, {word, 1, 1}).word[2].heads[1][4][2] / kWords;
  }
  EXPECT_NEAR(all.mean[2].heads[1][4][2], mean, 1e-9);
  const nlohmann::json found = all;
  EXPECT_EQ(nlohmann::json(read_word_attention(network, config, {kWord, kWords, 9})), found);
  EXPECT_NE(nlohmann::json(read_word_attention(network, config, {kWord, kWords, 8}))["mean"],
            found["mean"]);
}

TEST(WordAttention, AnswersAreThoseOfTheNetwork) {
  const RunConfig config = small_run(WordModel::stack, 1);
  const UniversalTransformer network = network_of(config);
  {
    const torch::NoGradGuard no_grad;
    parameter(network, "readout.weight").zero_();
    Tensor bias = parameter(network, "readout.bias");
    bias.zero_();
    bias[4] = 1;
  }
  EXPECT_EQ(read_word_attention(network, config, {kWord, 1, 1}).answers,
            (std::vector<std::uint32_t>(5, 4)));
}

/// Layers whose heads look 1, 2, 4 back, whatever they see.
TEST(WordAttention, HeadsThatLookBackByPowersOfTwoAreHillisAndSteeles) {
  RunConfig config = small_run(WordModel::stack, 3);
  config.model.positions = ModelConfig::Positions::relative;
  config.model.max_distance = 8;
  const UniversalTransformer network = network_of(config);
  for (int layer = 0; layer < 3; ++layer) {
    const torch::NoGradGuard no_grad;
    const std::string block = "initial." + std::to_string(layer);
    parameter(network, block + ".query_key_value.weight").zero_();
    Tensor bias = parameter(network, block + ".distance_bias");
    for (int head = 0; head < 2; ++head) bias[head][8 + (1 << layer)] = 2;
  }
  const std::vector<std::uint32_t> word(8, 1);
  const PrefixCircuit circuit =
      prefix_circuit(read_word_attention(network, config, {word, 4, 1}).mean);
  EXPECT_EQ(circuit_name(circuit), "Hillis and Steele's prefix circuit");
  EXPECT_EQ(circuit.fits[1].positions, 17u);
  EXPECT_EQ(circuit.fits[1].heads, 34u);
  EXPECT_GT(circuit.levels[2].sources[7]->attention, 0.9);
  EXPECT_EQ(circuit.scans[0].radices, (Radices{2, 2, 2}));
  EXPECT_EQ(circuit.levels[2].heads[1].distance, 4u);
}

/// Which letters the answer of a network at the last one depends on, by changing each.
std::vector<bool> letters_that_count(const UniversalTransformer& network, const RunConfig& config,
                                     const ReadEdges& edges, bool probed) {
  const auto& task = config.task.as<WordTaskConfig>();
  const bool begin = task.positions == WordTaskConfig::Positions::begin;
  const WordTokens tokens(begin, 6, task.max_length);
  const auto last = [&](const std::vector<std::uint32_t>& word) {
    const torch::NoGradGuard no_grad;
    Samples samples = tokens.samples(1, word.size());
    tokens.add(samples, word, word.size());
    samples.targets.assign(samples.tokens, Samples::kIgnored);
    samples.layer_views = edges.views(word.size(), tokens.before());
    const Batch batch = to_batch(samples, network.format(), torch::kCPU, torch::kFloat64);
    const Probe probe = [](const std::string&, const Tensor&) {
    };  // takes attention with weights in place of the fused one
    PassOptions options;
    options.loops = network.loops_of(batch);
    if (probed) options.probe = &probe;
    return network(batch, options).select(1, -1).clone();
  };
  std::vector<std::uint32_t> word = {1, 0, 3, 5, 2, 4, 1, 2};
  const Tensor before = last(word);
  std::vector<bool> count;
  for (std::uint32_t& letter : word) {
    letter = (letter + 1) % 6;
    count.push_back(!torch::equal(last(word), before));
    letter = (letter + 5) % 6;
  }
  return count;
}

TEST(ReadEdges, ANetworkReadsTheKeptEdgesOnlyAndTheCutOnesNever) {
  for (const bool begin : {false, true})
    for (const bool probed : {false, true}) {
      const auto counting = [&](WordModel kind, std::uint32_t depth, const ReadEdges& edges) {
        RunConfig config = small_run(kind, depth);
        if (begin) config.task.as<WordTaskConfig>().positions = WordTaskConfig::Positions::begin;
        return letters_that_count(network_of(config), config, edges, probed);
      };
      const std::vector<bool> all(8, true);
      EXPECT_EQ(counting(WordModel::stack, 1, {}), all);
      EXPECT_EQ(counting(WordModel::stack, 1, {{3}, false}),
                (std::vector<bool>{0, 0, 0, 0, 0, 1, 1, 1}));
      EXPECT_EQ(counting(WordModel::stack, 1, {{3}, true}),
                (std::vector<bool>{1, 1, 1, 1, 1, 0, 0, 1}));
      EXPECT_EQ(counting(WordModel::stack, 2, {{2, 2}, false}),
                (std::vector<bool>{0, 0, 0, 0, 1, 1, 1, 1}));
      EXPECT_EQ(counting(WordModel::stack, 2, {{2, 3}, false}),
                (std::vector<bool>{0, 0, 1, 1, 1, 1, 1, 1}));
      EXPECT_EQ(counting(WordModel::stack, 2, {{3}, false}),
                (std::vector<bool>{0, 0, 0, 0, 0, 1, 1, 1}))
          << "layers behind the radices read no other letter";
      EXPECT_EQ(counting(WordModel::stack, 2, {{8}, true}), all)
          << "layers behind the radices lose no edge";
      // Three loops on eight letters.
      EXPECT_EQ(counting(WordModel::adaptive_loop, 1, {{2, 2}, false}),
                (std::vector<bool>{0, 0, 0, 0, 1, 1, 1, 1}));
      EXPECT_EQ(counting(WordModel::adaptive_loop, 1, {{2, 2, 2}, false}), all);
      EXPECT_THROW(counting(WordModel::stack, 1, {{2, 2}, false}), InputError);
    }
}

TEST(WordAttention, IsThatOfTheEdgesThatANetworkWasTrainedWith) {
  RunConfig config = small_run(WordModel::stack, 2);
  config.task.as<WordTaskConfig>().edges = {2, 2};
  const WordAttention attention =
      read_word_attention(network_of(config), config, {{1, 2, 3, 4}, 1, 1});
  for (const std::vector<AttentionLevel>* levels : {&attention.word, &attention.mean})
    for (const AttentionMatrix& head : (*levels)[1].heads) {
      EXPECT_GT(head[3][1], 0) << "two letters back";
      EXPECT_EQ(head[3][2], 0) << "one letter back";
      EXPECT_EQ(head[3][0], 0);
    }
}

TEST(WordAttention, QuestionsAreReadBackAndWrongOnesRefused) {
  const AttentionQuestion question{{1, 2, 3}, 7, 11};
  EXPECT_EQ(to_json(attention_question_from_json(to_json(question), "q")), to_json(question));
  const RunConfig config = small_run(WordModel::stack, 1);
  const UniversalTransformer network = network_of(config);
  const std::vector<std::uint32_t> nine(9, 0);
  for (const AttentionQuestion& wrong :
       {AttentionQuestion{{}, 1, 1}, AttentionQuestion{nine, 1, 1}, AttentionQuestion{{6}, 1, 1},
        AttentionQuestion{{1}, 0, 1}})
    EXPECT_THROW(read_word_attention(network, config, wrong), InputError);
}

}}  // namespace logdepth::word_attention_tests
