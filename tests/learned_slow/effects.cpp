// Effects of training that take minutes: thresholds of the specifications, fixed before the runs.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iostream>

#include "learned/core/trainer.hpp"
#include "learned/depth_recurrent/tasks.hpp"
#include "learned/records/training_config.hpp"
#include "learned/report/criteria.hpp"
#include "learned/word_problems/word_task.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/places.hpp"

namespace logdepth::effects_tests { namespace {

nlohmann::ordered_json trained(const RunConfig& config) {
  Trainer trainer({config}, torch::kCPU);
  const std::atomic<bool> interrupted = false;
  const TemporaryFolder folder;
  const Trainer::Stop stop = trainer.train(
      interrupted, [](const TrainingState&) {}, [] {}, {folder.path()});
  const RunRecord record = trainer.record(stop, [](std::size_t, std::size_t) {});
  std::cout << trainer.task().summary(record.result) << "; " << record.training["seconds"]
            << " s\n";
  return record.result;
}

TEST(TrainingEffects, OnTwinChainsTheFrontierIsTheNumberOfLoops) {
  // DR-1 of the specification of depth-recurrent transformers.
  const auto result = trained(preset("thinking_deeper", "graphs"));
  for (std::size_t h = 0; h < result["difficulties"].size(); ++h)
    for (std::size_t t = 0; t < result["loops"].size(); ++t) {
      const int hops = result["difficulties"][h], loops = result["loops"][t];
      if (loops > 8) continue;
      const double accuracy = result["accuracy"][h][t];
      if (hops <= std::min(loops, 5)) {
        EXPECT_GE(accuracy, 0.95) << hops << " hops, " << loops << " loops";
      } else if (hops > loops) {
        EXPECT_NEAR(accuracy, 0.5, 0.06) << hops << " hops, " << loops << " loops";
      }
    }
}

TEST(TrainingEffects, NestedExpressionsUpToDepthTwoAreDecided) {
  // DR-4 of the specification of depth-recurrent transformers, at the depths that minutes allow.
  RunConfig config = preset("thinking_deeper", "expressions");
  auto& expressions = config.task.as<ExpressionTaskConfig>();
  expressions.hardest = 2;
  expressions.tested = {1, 2};
  config.training.steps = 600;
  const auto result = trained(config);
  for (std::size_t depth = 0; depth < 2; ++depth)
    for (std::size_t t = 0; t < result["loops"].size(); ++t)
      if (result["loops"][t] == 8) {
        EXPECT_GE(result["accuracy"][depth][t].get<double>(), 0.9) << "depth " << depth + 1;
      }
}

TEST(TrainingEffects, DiscreteLatentStatesSolveGraphsTwiceAsLargeAsTheTrainedOnes) {
  // LO-3 of the specification of latent reasoning, modulo 3.
  RunConfig config = preset("latent_reasoning", "discrete");
  set_by_path(config, "task.modulus=3");
  set_by_path(config, "task.test_nodes=[8,16]");
  config.training.steps = 3000;
  const auto result = trained(config);
  EXPECT_GE(result["cells"][0]["solved"].get<double>(), 0.95);
  EXPECT_GE(result["cells"][1]["solved"].get<double>(), 0.8);
}

TEST(StoredPlans, EveryRunTakesThreeSteps) {
  namespace fs = std::filesystem;
  std::size_t runs = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(support::source_dir()) / "examples/plans")) {
    if (entry.path().extension() != ".json") continue;
    for (PlannedRun& run : read_training_plan(entry.path())) {
      RunConfig& config = run.config;
      config.training.steps = 3;
      config.training.seconds = 0;
      config.training.read_every = 1;
      config.training.curve_first = 0;
      // As few samples as can be: what is asked is whether the run runs.
      set_by_path(config, config.task->asks_products() ? "task.batch_tokens=256" : "task.batch=2");
      Trainer trainer({config}, torch::kCPU);
      const Tensor before = trainer.network().parameters().values().clone();
      const std::atomic<bool> interrupted = false;
      const TemporaryFolder folder;
      EXPECT_EQ(trainer.train(
                    interrupted, [](const TrainingState&) {}, [] {}, {folder.path()}),
                Trainer::Stop::steps)
          << run.name;
      EXPECT_FALSE(torch::equal(before, trainer.network().parameters().values())) << run.name;
      ++runs;
    }
  }
  EXPECT_EQ(runs, 316u) << "of the plans that examples/plans/make_plans.py writes";
}

TEST(TrainingEffects, DeeperStacksReachFurtherOnParityAtEqualSteps) {
  // WP-3: n* is non-decreasing over depths 1, 2, 4 and larger at 4 than at 1.
  std::vector<int> reached;
  for (const std::uint32_t depth : {1u, 2u, 4u}) {
    RunConfig config = word_problem("Z2", WordModel::stack, depth);
    config.training.steps = 2000;
    reached.push_back(trained(config)["strict"]);
  }
  EXPECT_LE(reached[0], reached[1]);
  EXPECT_LE(reached[1], reached[2]);
  EXPECT_LT(reached[0], reached[2]);
}

TEST(TrainingEffects, AnAdaptiveLoopLearnsProductsOfFourElementsOfA5InTwoLoops) {
  RunConfig config = word_problem("A5", WordModel::adaptive_loop, 1);
  config.task.as<WordTaskConfig>().max_length = 4;
  const auto result = trained(config);
  EXPECT_EQ(result["strict"], 4);
  ASSERT_EQ(result["by_loops"].size(), 2u);
  EXPECT_LT(result["by_loops"][0]["strict"], 4) << "one loop is not enough";
}

TEST(TrainingEffects, ATaughtStackOfTwoLayersLearnsProductsOfFourElementsOfA5) {
  RunConfig config = word_problem("A5", WordModel::stack, 2);
  auto& words = config.task.as<WordTaskConfig>();
  words.max_length = 4;
  words.teach = WordTaskConfig::Teach::windows;
  EXPECT_EQ(trained(config)["strict"], 4);
}

TEST(TrainingEffects, RowTokensReachDistanceFourWithTwoLayersAndNoneWithOne) {
  // One layer has too many false positives. WP-5, h*(3) >= 1.5 h*(2), is not asserted: the stored records have 5 and 4.
  for (const auto& [layers, reach] : {std::pair(1u, -1), {2u, 4}}) {
    RunConfig config = preset("ms25", "row-tokens");
    config.training.steps = 3000;
    config.model.initial = layers;
    config.model.repeated = 0;
    EXPECT_EQ(trained(config)["h"], reach) << layers << " layers";
  }
}

}}  // namespace logdepth::effects_tests
