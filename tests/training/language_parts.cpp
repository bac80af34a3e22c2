// The parts of the core that language models need: shared keys, both rotary orders, wide norms, a
// tied head, adapters, frozen numbers.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "learned/core/network_predictor.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests::language_parts {
namespace {

constexpr double kRounding = 1e-10;

ModelConfig decoder() {
  ModelConfig config = small_config();
  config.initial = 2;
  config.repeated = 0;
  config.width = 16;
  config.heads = 4;
  config.norm = ModelConfig::NormKind::rmsnorm;
  config.activation = ModelConfig::Activation::swiglu;
  config.bias = false;
  config.readout_bias = false;
  config.positions = ModelConfig::Positions::rotary;
  return config;
}

TEST(LanguageParts, SharedKeysAndValuesAreThoseOfHeadsThatAgree) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = decoder();
  config.key_value_heads = 2;
  const auto shared = in_double(config, format);
  config.key_value_heads = 0;
  auto full = in_double(config, format);
  const torch::NoGradGuard no_grad;
  for (const auto& from : shared.parameters().all())
    if (Tensor to = parameter(full, from.name); to.sizes() == from.tensor.sizes())
      to.copy_(from.tensor);
  for (const std::string layer : {"initial.0", "initial.1"}) {
    const std::string name = layer + ".query_key_value.weight";
    const Tensor rows = parameter(shared, name);  // 4 heads of queries, 2 of keys, 2 of values
    std::vector<Tensor> heads;
    for (const std::int64_t head : {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7})
      heads.push_back(rows.narrow(0, 4 * head, 4));
    parameter(full, name).copy_(torch::cat(heads));
  }
  const Batch batch = in_double(random_samples(format, 3, 6, 1, /*padded=*/true), format);
  EXPECT_LT(largest_difference(shared(batch, loops(1)), full(batch, loops(1))), kRounding);
}

TEST(LanguageParts, DecodingOnACacheOfSharedKeysEqualsReadingAllAgain) {
  TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = decoder();
  config.key_value_heads = 2;
  config.query_key_norm = true;
  config.query_key_norm_over = ModelConfig::NormOver::all_heads;
  config.initial = 1;
  config.repeated = 1;
  config.loops.least = 3;
  const auto model = in_double(config, format);
  const Samples prompts = random_samples(format, 4, 5, 2, /*padded=*/true);
  const Predictor cached = predictor_of(model, TrainingConfig::Precision::float32);
  const Predictor plain(cached.answers);
  EXPECT_EQ(cached.continued(prompts, 4, 12), plain.continued(prompts, 4, 12));
}

TEST(LanguageParts, RotaryPairsOfNeighboursAreThoseOfHalvesInAnotherOrderOfChannels) {
  const Tensor x = torch::randn({2, 5, 3, 8}, torch::kFloat64);
  const Tensor order = torch::tensor({0, 2, 4, 6, 1, 3, 5, 7});
  Rotary rotary;
  rotary.base = 500;
  const Tensor halves = rotary(x.index_select(-1, order), 3);
  rotary.pairs = ModelConfig::RotaryPairs::neighbours;
  EXPECT_LT(largest_difference(rotary(x, 3).index_select(-1, order), halves), kRounding);
}

TEST(LanguageParts, AChannelTurnsByItsPositionTimesAPowerOfTheBase) {
  Rotary rotary;
  rotary.base = 81;
  Tensor x = torch::zeros({1, 3, 1, 8}, torch::kFloat64);
  x.select(-1, 2).fill_(1);  // the third of four pairs: 81^(-2 * 2 / 8) = 1/9
  const Tensor turned = rotary(x, 5);
  for (std::int64_t i = 0; i < 3; ++i) {
    const double angle = static_cast<double>(5 + i) / 9;
    EXPECT_NEAR(turned[0][i][0][2].item<double>(), std::cos(angle), kRounding);
    EXPECT_NEAR(turned[0][i][0][6].item<double>(), std::sin(angle), kRounding);
  }
}

TEST(LanguageParts, ANormOverAllHeadsSeesTheirSizesAgainstEachOther) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = decoder();
  config.query_key_norm = true;
  const auto scaled = [&](ModelConfig::NormOver over) {
    config.query_key_norm_over = over;
    const auto model = in_double(config, format);
    const Batch batch = in_double(random_samples(format, 2, 6, 3), format);
    const Tensor before = model(batch, loops(1));
    const torch::NoGradGuard no_grad;
    // The queries of one head grow; a norm of that head alone takes it back.
    parameter(model, "initial.0.query_key_value.weight").narrow(0, 0, 4).mul_(1000);
    return largest_difference(model(batch, loops(1)), before);
  };
  EXPECT_LT(scaled(ModelConfig::NormOver::head), 1e-3);
  EXPECT_GT(scaled(ModelConfig::NormOver::all_heads), 1e-2);
}

TEST(LanguageParts, ATiedHeadReadsWithTheEmbeddingAndBothUsesHaveAGradient) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = decoder();
  auto free = in_double(config, format);
  config.tied_readout = true;
  const auto tied = in_double(config, format);
  copy_rest(tied, free);
  {
    const torch::NoGradGuard no_grad;
    parameter(free, "readout.weight").copy_(parameter(tied, "embedding.0"));
  }
  const Batch batch = in_double(random_samples(format, 2, 6, 4), format);
  const Tensor a = tied(batch, loops(1)), b = free(batch, loops(1));
  EXPECT_EQ(largest_difference(a, b), 0);
  a.square().sum().backward();
  b.square().sum().backward();
  const Tensor both =
      parameter(free, "embedding.0").grad() + parameter(free, "readout.weight").grad();
  EXPECT_LT(largest_difference(parameter(tied, "embedding.0").grad(), both), 1e-8);
}

TEST(LanguageParts, ATiedHeadIsRefusedWhereAnswersAreNotTheTokensRead) {
  const TaskFormat format = letters_format(TaskFormat::View::causal, 6);  // five answers
  ModelConfig config = decoder();
  config.tied_readout = true;
  EXPECT_THROW(in_double(config, format), InputError);
}

TEST(LanguageParts, AnAdapterChangesNothingUntilItsSecondFactorDoes) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  UniversalTransformer model(decoder(), format, 7, torch::kCPU, torch::kFloat64, Purpose::frozen);
  const Batch batch = in_double(random_samples(format, 2, 6, 5), format);
  const Tensor before = model(batch, loops(1));
  EXPECT_FALSE(before.requires_grad());
  Parameters adapters(3, torch::kCPU, torch::kFloat64);
  model.adapt(adapters, 2);
  adapters.gather();
  const Tensor after = model(batch, loops(1));
  EXPECT_LT(largest_difference(before, after), kRounding);
  after.square().sum().backward();
  EXPECT_GT(adapters.gradients().abs().max().item<double>(), 0);
  EXPECT_FALSE(model.parameters().gradients().defined());
  const torch::NoGradGuard no_grad;
  adapters.values().add_(0.1);
  EXPECT_GT(largest_difference(model(batch, loops(1)), before), 1e-3);
}

TEST(LanguageParts, HiddenStatesUnembeddedAreTheAnswers) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = decoder();
  config.initial = 1;
  config.repeated = 1;
  config.final = 1;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 2, 6, 6), format);
  const Tensor hidden = model.hidden(batch, loops(2));
  EXPECT_EQ(hidden.size(-1), 16);
  EXPECT_EQ(largest_difference(model.unembed(hidden, TrainingConfig::Precision::float32),
                               model(batch, loops(2))),
            0);
}

TEST(LanguageParts, AProbeSeesEveryBlockBeginWhereTheOneBeforeEnded) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const auto model = in_double(decoder(), format);
  std::vector<Tensor> before, after;
  const Probe probe = [&](const ProbeView& view) {
    before.push_back(view.before);
    after.push_back(view.after);
  };
  PassOptions options = loops(1);
  options.probe = &probe;
  const Samples samples = random_samples(format, 1, 4, 7);
  model(in_double(samples, format), options);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(largest_difference(before[1], after[0]), 0);
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(largest_difference(
                  before[0][0][i],
                  parameter(model, "embedding.0")[samples.indices.at(static_cast<std::size_t>(i))]),
              0);
}

}  // namespace
}  // namespace logdepth::learned_tests::language_parts
