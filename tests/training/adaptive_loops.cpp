// Loops that a router ends token by token.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <cmath>

#include "learned/core/network_predictor.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests::adaptive_loops {
namespace {

using Router = ModelConfig::Router;

ModelConfig adaptive(Router router, std::uint32_t most = 6) {
  ModelConfig config = small_config();
  config.initial = 1;
  config.loops = {LoopRule::Kind::adaptive, 1, most};
  config.router = router;
  config.positions = ModelConfig::Positions::rotary;
  return config;
}

/// The router's weight of every token becomes sigmoid(logit), whatever its state.
void weigh_all(UniversalTransformer& model, double logit) {
  const torch::NoGradGuard no_grad;
  parameter(model, "router.weight").zero_();
  parameter(model, "router.bias").fill_(logit);
}

double logit(double share) {
  return std::log(share / (1 - share));
}

/// The same weights in a loop that runs as often as it is told.
struct FixedLoops {
  explicit FixedLoops(const UniversalTransformer& model,
                      ModelConfig config = adaptive(Router::none))
      : network(in_double((config.loops = {}, config), model.format())) {
    copy_rest(model, network);
  }
  Tensor operator()(const Batch& batch, std::uint32_t count) const {
    return network(batch, loops(count));
  }
  UniversalTransformer network;
};

TEST(AdaptiveLoops, ATokenHaltsAtTheFirstLoopAtWhichItsWeightsAddUpToOneButAHundredth) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 3, 5, 1), format);
  struct Case {
    double share;
    std::int64_t loops;
  };
  for (const Case one :
       {Case{.995, 1}, {.98, 2}, {.5, 2}, {.4, 3}, {.25, 4}, {.2475, 4}, {.24, 5}}) {
    auto model = in_double(adaptive(Router::straight_through), format);
    weigh_all(model, logit(one.share));
    PassTrace trace;
    const Tensor answers = model(batch, loops(kAdaptiveCap), &trace);
    EXPECT_TRUE((trace.loops_taken == one.loops).all().item<bool>()) << one.share;
    const FixedLoops fixed(model);
    EXPECT_EQ(largest_difference(answers, fixed(batch, static_cast<std::uint32_t>(one.loops))), 0);
  }
}

TEST(AdaptiveLoops, NoTokenRunsLongerThanTheCap) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 3, 5, 2), format);
  auto model = in_double(adaptive(Router::straight_through), format);
  weigh_all(model, -30);
  EXPECT_EQ(model.loops_of(batch), kAdaptiveCap);
  EXPECT_EQ(model.training_loops(batch, 1, 1), 6U);
  PassTrace trace;
  model(batch, loops(7), &trace);
  EXPECT_TRUE((trace.loops_taken == 7).all().item<bool>());
}

TEST(AdaptiveLoops, AHaltedTokenKeepsItsStateAndOthersGoOnReadingIt) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 1, 6, 3), format);
  auto model = in_double(adaptive(Router::straight_through), format);
  {
    const torch::NoGradGuard no_grad;
    parameter(model, "router.weight").mul_(.2);  // so that every token halts, not all at once
  }
  PassTrace trace;
  const Tensor answers = model(batch, loops(kAdaptiveCap), &trace);
  const Tensor taken = trace.loops_taken[0];
  ASSERT_GT(taken.max().item<std::int64_t>(), taken.min().item<std::int64_t>());
  ASSERT_LT(taken.max().item<std::int64_t>(), std::int64_t{kAdaptiveCap});
  // The first token reads nobody else, so its answer is that of a loop of so many turns.
  const FixedLoops fixed(model);
  const auto first = static_cast<std::uint32_t>(taken[0].item<std::int64_t>());
  EXPECT_EQ(largest_difference(answers[0][0], fixed(batch, first)[0][0]), 0);
  // More turns than the longest change nothing.
  EXPECT_EQ(largest_difference(answers, model(batch, loops(1000))), 0);
}

TEST(AdaptiveLoops, PaddingTakesNoLoopsAndChangesNoAnswer) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  Samples alone = random_samples(format, 1, 4, 4);
  Samples padded = alone;
  padded.tokens = 7;
  padded.lengths = {4};
  padded.indices.resize(7, 2);
  padded.targets.resize(7, Samples::kIgnored);
  const auto model = in_double(adaptive(Router::straight_through), format);
  PassTrace trace;
  const Tensor long_one = model(in_double(padded, format), loops(kAdaptiveCap), &trace);
  const Tensor short_one = model(in_double(alone, format), loops(kAdaptiveCap));
  EXPECT_LT(largest_difference(long_one.narrow(1, 0, 4), short_one), 1e-10);
  EXPECT_TRUE((trace.loops_taken[0].narrow(0, 4, 3) == 0).all().item<bool>());
  EXPECT_TRUE((trace.loops_taken[0].narrow(0, 0, 4) > 0).all().item<bool>());
}

TEST(AdaptiveLoops, TheMixtureWeighsStatesAndTheLastTakesTheRemainder) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 2, 5, 5), format);
  ModelConfig config = adaptive(Router::mixture);
  config.final_norm = false;  // the readout is linear, so answers mix as states do
  auto model = in_double(config, format);
  weigh_all(model, logit(.4));
  config.router = Router::none;
  config.loops = {};
  auto fixed = in_double(config, format);
  copy_rest(model, fixed);
  const Tensor expected =
      .4 * fixed(batch, loops(1)) + .4 * fixed(batch, loops(2)) + .2 * fixed(batch, loops(3));
  EXPECT_LT(largest_difference(model(batch, loops(kAdaptiveCap)), expected), 1e-10);
}

/// The largest gradient of the router's numbers.
double router_gradient(Router router) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 4, 5, 6), format);
  const auto model = in_double(adaptive(router), format);
  TrainingConfig training;
  supervised_loss(model, batch, loops(6), training).backward();
  return parameter(model, "router.weight").grad().abs().max().item<double>();
}

TEST(AdaptiveLoops, ARouterLearnsStraightThroughOrByTheMixtureAndNotAtAllAsAControl) {
  EXPECT_GT(router_gradient(Router::straight_through), 1e-6);
  EXPECT_GT(router_gradient(Router::mixture), 1e-6);
  EXPECT_EQ(router_gradient(Router::untrained), 0);
}

TEST(AdaptiveLoops, StraightThroughComputesWhatTheUntrainedRouterDoes) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const Batch batch = in_double(random_samples(format, 4, 5, 7), format);
  const auto learning = in_double(adaptive(Router::straight_through), format);
  const auto control = in_double(adaptive(Router::untrained), format);
  EXPECT_EQ(largest_difference(learning(batch, loops(6)), control(batch, loops(6))), 0);
}

TEST(AdaptiveLoops, APredictorSaysHowManyLoopsEveryTokenTookAndDecodesWithoutACache) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  auto model = in_double(adaptive(Router::straight_through), format);
  const Samples samples = random_samples(format, 3, 5, 8, /*padded=*/true);
  const Predictor predictor = predictor_of(model, TrainingConfig::Precision::float32);
  const std::vector<std::uint32_t> taken = predictor.loops_taken(samples);
  ASSERT_EQ(taken.size(), 15U);
  for (std::size_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(taken[i] == 0, i % 5 >= static_cast<std::size_t>(samples.lengths[i / 5]));
  EXPECT_EQ(predictor.continued(samples, 4, 9),
            Predictor(predictor.answers).continued(samples, 4, 9));
  const auto plain = in_double(small_config(), format);
  EXPECT_TRUE(predictor_of(plain, TrainingConfig::Precision::float32).loops_taken(samples).empty());
}

TEST(AdaptiveLoops, SettingsThatContradictEachOtherAreRefused) {
  RunConfig config;
  config.model = adaptive(Router::mixture);
  EXPECT_NO_THROW(validate(config));
  config.model.router = Router::none;
  EXPECT_THROW(validate(config), InputError);
  config.model = small_config();
  config.model.router = Router::mixture;
  EXPECT_THROW(validate(config), InputError);
  config.model = adaptive(Router::mixture, kAdaptiveCap + 1);
  EXPECT_THROW(validate(config), InputError);
}

}  // namespace
}  // namespace logdepth::learned_tests::adaptive_loops
