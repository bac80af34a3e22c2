// Compiled weights, rounded to double, in libtorch: they agree with the exact run.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <atomic>
#include <random>

#include "compiler/passes/compile.hpp"
#include "constructions/MS25/graph_connectivity_thm5_1.hpp"
#include "constructions/MS25/regular_language.hpp"
#include "learned/core/constructed_network.hpp"
#include "learned/core/trainer.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "objects/named_monoids.hpp"
#include "oracle/language_oracle.hpp"
#include "oracle/reachability_oracle.hpp"
#include "runtime/exact/run_model.hpp"
#include "runtime/file/model_meaning.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "runtime/file/weights_file.hpp"
#include "tests/support/graphs.hpp"
#include "tests/support/languages.hpp"
#include "tests/support/networks.hpp"
#include "tests/support/plain_forward.hpp"
#include "tests/support/refusals.hpp"

namespace logdepth::learned_tests { namespace {

constexpr double kNear = 1e-9;

Model scan(const std::string& group, ScanPositions positions, Norm norm = Norm::rms) {
  CompileOptions options;
  options.norm = norm;
  return compile(regular_language_scan_MS25_thm4_1(named_monoid(group), group,
                                                   {.positions = positions}),
                 options)
      .model;
}

struct Layers {
  Parameters parameters{0, torch::kCPU, torch::kFloat64};
  ConstructedLayers layers;
  Layers(const Model& model, const ConstructedConfig& config) : layers(parameters, model, config) {
    parameters.gather();
  }
};

/// The largest distance of any coordinate of any token from the exact run's.
double distance_from_exact(const Model& model, const Layers& network, Runner& runner,
                           const Tokens& tokens) {
  const auto exact = runner.run(tokens);
  EXPECT_TRUE(exact.has_value());
  const torch::NoGradGuard no_grad;
  const auto loops =
      static_cast<std::uint32_t>(loops_at(model.unroll, counted_size(model, tokens.size)));
  const Tensor stream = network.layers(initial_stream(model, tokens), loops);
  const auto at = stream.accessor<double, 3>();
  double largest = 0;
  for (std::size_t t = 0; t < tokens.kinds.size(); ++t)
    for (std::size_t c = 0; c < model.width; ++c) {
      const double wanted = runner.arithmetic().pool()[exact.value().at(t, c)].approximate().value;
      const double found = at[0][static_cast<std::int64_t>(t)][static_cast<std::int64_t>(c)];
      largest = std::max(largest, std::abs(wanted - found));
    }
  return largest;
}

TEST(ConstructedNetwork, AScanOfA5AgreesWithTheExactRunAtEveryTokenOfUpTo64Letters) {
  for (const auto positions : {ScanPositions::two_circle, ScanPositions::first_flag})
    for (const Norm norm : {Norm::rms, Norm::layernorm}) {
      const Model model = scan("A5", positions, norm);
      const Layers network(model, {});
      Runner runner(model);
      std::mt19937_64 random(5);
      for (const std::size_t length : {1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64}) {
        const Word word = support::random_word(random, model.alphabet.size(), length);
        const Tokens tokens =
            tokens_of(model, support::letter_names(Alphabet(model.alphabet), word)).value();
        EXPECT_LT(distance_from_exact(model, network, runner, tokens), kNear)
            << length << " letters";
      }
    }
}

// In a compiled file every coordinate has a mirror, so that every mean is zero.
TEST(ConstructedNetwork, SubtractsMeansThatAreNotZero) {
  Model model = scan("S3", ScanPositions::two_circle, Norm::layernorm);
  for (auto& [kind, row] : model.embedding)
    for (SparseEntry& entry : row)
      if (entry.index >= model.width / 2) entry.value = entry.value * Rational(3);
  const Layers network(model, {});
  const torch::NoGradGuard no_grad;
  std::mt19937_64 random(9);
  for (const std::size_t length : {1, 2, 3, 4, 7}) {
    const Word word = support::random_word(random, model.alphabet.size(), length);
    const Tokens tokens =
        tokens_of(model, support::letter_names(Alphabet(model.alphabet), word)).value();
    const auto plain = wide_forward(model, tokens).streams.back();
    const auto loops =
        static_cast<std::uint32_t>(loops_at(model.unroll, counted_size(model, tokens.size)));
    const Tensor stream = network.layers(initial_stream(model, tokens), loops);
    const auto at = stream.accessor<double, 3>();
    for (std::size_t t = 0; t < plain.size(); ++t)
      for (std::size_t c = 0; c < model.width; ++c)
        EXPECT_NEAR(at[0][static_cast<std::int64_t>(t)][static_cast<std::int64_t>(c)],
                    static_cast<double>(plain[t][c]), kNear)
            << length << " letters, token " << t << ", coordinate " << c;
  }
}

TEST(ConstructedNetwork, SoftmaxAtAHighTemperatureFactorAgreesToo) {
  const Model model = scan("A5", ScanPositions::two_circle);
  ConstructedConfig config;
  config.attention = ConstructedConfig::Attention::softmax;
  config.temperature = 1e7;
  const Layers sharp(model, config);
  config.temperature = 1;
  const Layers blunt(model, config);
  Runner runner(model);
  std::mt19937_64 random(6);
  for (const std::size_t length : {2, 7, 16, 33, 64}) {
    const Word word = support::random_word(random, model.alphabet.size(), length);
    const Tokens tokens =
        tokens_of(model, support::letter_names(Alphabet(model.alphabet), word)).value();
    EXPECT_LT(distance_from_exact(model, sharp, runner, tokens), 1e-6) << length << " letters";
    EXPECT_GT(distance_from_exact(model, blunt, runner, tokens), 1e-2) << "temperature matters";
  }
}

TEST(ConstructedNetwork, TheTreeOfThePaperAgreesWithItsBlocksBeforeAndAfterTheLoop) {
  const Model model =
      compile(regular_language_tree_MS25_thm4_1(named_monoid("S3"), "S3"), CompileOptions()).model;
  const Layers network(model, {});
  Runner runner(model);
  std::mt19937_64 random(7);
  for (const std::size_t length : {1, 2, 3, 7, 8, 9, 20}) {
    const Word word = support::random_word(random, model.alphabet.size(), length);
    const Tokens tokens =
        tokens_of(model, support::letter_names(Alphabet(model.alphabet), word)).value();
    EXPECT_LT(distance_from_exact(model, network, runner, tokens), 1e-6) << length << " letters";
  }
}

TEST(ConstructedNetwork, RowsOfUpTo16VerticesAgreeAndGiveTheRelation) {
  std::mt19937_64 random(8);
  for (const std::uint32_t size : {1u, 2u, 3u, 5u, 8u, 9u, 16u}) {
    const Model model = compile(graph_connectivity_rows_MS25_thm5_1(size), CompileOptions()).model;
    const Layers network(model, {});
    Runner runner(model);
    std::vector<std::string> names;
    for (std::uint32_t v = 0; v < size; ++v) names.push_back(std::to_string(v + 1));
    for (const double density : {0.05, 0.15, 0.5}) {
      const Graph graph = support::random_graph(random, names, density);
      const Tokens tokens = tokens_of(model, graph, 0, 0).value();
      EXPECT_LT(distance_from_exact(model, network, runner, tokens), kNear);
      const torch::NoGradGuard no_grad;
      const auto loops =
          static_cast<std::uint32_t>(loops_at(model.unroll, counted_size(model, tokens.size)));
      const Tensor logits =
          network.layers.logits(network.layers(initial_stream(model, tokens), loops));
      const ReachabilityOracle oracle(graph);
      for (std::uint32_t i = 0; i < size; ++i)
        for (std::uint32_t j = 0; j < size; ++j)
          EXPECT_EQ(logits[0][i][j].item<double>() > 0, oracle.reaches(i, j));
    }
  }
}

/// A weights file and the configuration that trains it.
struct Construction {
  TemporaryFolder folder;
  RunConfig config;
  explicit Construction(const std::string& group, std::uint32_t length = 16) {
    save_weights(scan(group, ScanPositions::two_circle), folder.file("w.json"));
    config = from_construction(folder.file("w.json"), group, WordTaskConfig::Letters::generators,
                               length);
    config.task.as<WordTaskConfig>().validation = 200;
  }
};

TEST(ConstructedNetwork, AnswersEveryPrefixProductOfA5AsAnUntrainedRun) {
  const Construction construction("A5", 64);
  Trainer trainer({construction.config}, torch::kCPU);
  const auto task = construction.config.task->make_task(1);
  const auto result =
      task->measure(trainer.predictor(), task->stages() - 1, [](std::size_t, std::size_t) {});
  EXPECT_EQ(result["strict"], 64);
  EXPECT_EQ(result["censored"], true);
  for (const auto& accuracy : result["accuracy"]) EXPECT_EQ(accuracy, 1.0);
}

TEST(ConstructedNetwork, AFileThatSpellsElementsOneByOneIsReadToo) {
  const Model model = compile(regular_language_scan_MS25_thm4_1(named_monoid("Z2"), "Z2",
                                                                {.table = ScanTable::monoid}))
                          .model;
  const TemporaryFolder folder;
  save_weights(model, folder.file("w.json"));
  RunConfig config =
      from_construction(folder.file("w.json"), "Z2", WordTaskConfig::Letters::generators, 8);
  Trainer trainer({config}, torch::kCPU);
  const auto task = config.task->make_task(1);
  EXPECT_EQ(task->measure(trainer.predictor(), 2, [](std::size_t, std::size_t) {})["strict"], 8);
}

TEST(ConstructedNetwork, ATrainingRunStartsFromItAndReportsWhatItKept) {
  for (const auto attention :
       {ConstructedConfig::Attention::hard, ConstructedConfig::Attention::softmax}) {
    Construction construction("S3", 8);
    construction.config.constructed->attention = attention;
    construction.config.constructed->temperature = 1000;
    construction.config.training.steps = 20;
    Trainer trainer({construction.config}, torch::kCPU);
    const std::atomic<bool> interrupted = false;
    const TemporaryFolder folder;
    const auto stop = trainer.train(
        interrupted, [](const TrainingState&) {}, [] {}, {folder.path()});
    EXPECT_EQ(stop, Trainer::Stop::steps);
    const RunRecord record = trainer.record(stop, [](std::size_t, std::size_t) {});
    const auto& before = record.training["before"];
    EXPECT_EQ(before["result"]["strict"], before["result"]["length"]);
    EXPECT_GT(before["relative_change"].get<double>(), 0);
    EXPECT_LT(before["relative_change"].get<double>(), 0.5);
    EXPECT_TRUE(record.result.contains("strict"));
  }
}

TEST(ConstructedNetwork, NumbersThatAreNotTrainedStayBitForBit) {
  for (const bool zeros_stay : {false, true}) {
    Construction construction("S3", 8);
    TrainingConfig& training = construction.config.training;
    training.steps = 4;
    training.only = "value,output,in";
    training.keep_zeros = zeros_stay;
    Trainer trainer({construction.config}, torch::kCPU);
    std::vector<torch::Tensor> before;
    for (const auto& each : trainer.network().parameters().all())
      before.push_back(each.tensor.detach().clone());
    const std::atomic<bool> interrupted = false;
    const TemporaryFolder folder;
    trainer.train(
        interrupted, [](const TrainingState&) {}, [] {}, {folder.path()});
    std::size_t at = 0;
    for (const auto& each : trainer.network().parameters().all()) {
      const torch::Tensor& began = before[at++];
      const std::string last = each.name.substr(each.name.rfind('.') + 1);
      const bool named = last == "value" || last == "output" || last == "in";
      const torch::Tensor moved = each.tensor != began, zero = began == 0;
      EXPECT_EQ(moved.any().item<bool>(), named) << each.name;
      const bool zero_moved = moved.logical_and(zero).any().item<bool>();
      EXPECT_EQ(zero_moved, named && !zeros_stay) << each.name;
    }
  }
}

TEST(ConstructedNetwork, FilesThatDoNotFitTheTaskAreRefused) {
  const Construction construction("S3");
  const auto refused = [](RunConfig config, const std::string& part) {
    support::expect_parts(support::refusal([&] { Trainer({config}, torch::kCPU); }), {part});
  };
  RunConfig config = construction.config;
  config.task.as<WordTaskConfig>().letters = WordTaskConfig::Letters::all;
  refused(config, "letters of S3");
  config = construction.config;
  config.task.as<WordTaskConfig>().monoid = "Z6";
  refused(config, "letters of Z6");
  config = construction.config;
  config.model.initial = 3;
  refused(config, "no settings of model");
  const TemporaryFolder folder;
  save_weights(compile(graph_connectivity_rows_MS25_thm5_1(4)).model, folder.file("rows.json"));
  config = construction.config;
  config.constructed->weights = folder.file("rows.json");
  refused(config, "one of words");
}

}}  // namespace logdepth::learned_tests
