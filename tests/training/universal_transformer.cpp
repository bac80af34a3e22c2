// What the parts of the universal transformer do, without training.
#include "learned/core/universal_transformer.hpp"

#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "learned/report/criteria.hpp"
#include "learned/word_problems/word_task.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests { namespace {

constexpr double kRounding = 1e-10;

TEST(UniversalTransformer, ALoopEqualsAStackWithTheSameWeightsInEveryLayer) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const auto looped = in_double(small_config(), format);
  ModelConfig config = small_config();
  config.initial = 3;
  config.repeated = 0;
  auto stack = in_double(config, format);
  copy_rest(looped, stack);
  for (const char* layer : {"initial.0", "initial.1", "initial.2"})
    copy_block(looped, "repeated.0", stack, layer);
  const Batch batch = in_double(random_samples(format, 4, 6, 1), format);
  EXPECT_LT(largest_difference(looped(batch, loops(3)), stack(batch, loops(1))), kRounding);
  EXPECT_GT(largest_difference(looped(batch, loops(2)), stack(batch, loops(1))), 1e-3);
}

TEST(UniversalTransformer, RunsAsOftenAsItsSamplesAskFor) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.loops = {.kind = LoopRule::Kind::asked, .least = 2};
  const auto model = in_double(config, format);
  Samples samples = random_samples(format, 4, 6, 1);
  const auto expect_loops = [&](std::uint32_t expected) {
    const Batch batch = in_double(samples, format);
    EXPECT_EQ(model.loops_of(batch), expected);
    EXPECT_EQ(model.training_loops(batch, 1, 7), expected);
  };
  expect_loops(2);
  for (const std::uint32_t asked : {1u, 3u, 5u}) {
    samples.loops = asked;
    expect_loops(asked);
  }
}

TEST(UniversalTransformer, OneLoopIsAPlainTransformer) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.repeated = 2;
  const auto looped = in_double(config, format);
  config.initial = 2;
  config.repeated = 0;
  auto plain = in_double(config, format);
  copy_rest(looped, plain);
  for (const std::string layer : {"0", "1"})
    copy_block(looped, "repeated." + layer, plain, "initial." + layer);
  const Batch batch = in_double(random_samples(format, 2, 5, 2), format);
  EXPECT_LT(largest_difference(looped(batch, loops(1)), plain(batch, loops(1))), kRounding);
}

TEST(UniversalTransformer, AClosedGateReturnsItsInput) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.gate = ModelConfig::Gate::gru;
  auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 2, 5, 3), format);
  EXPECT_GT(largest_difference(model(batch, loops(1)), model(batch, loops(10))), 1e-2);
  const torch::NoGradGuard no_grad;
  parameter(model, "gate.bias").fill_(-60);
  EXPECT_LT(largest_difference(model(batch, loops(1)), model(batch, loops(10))), kRounding);
}

TEST(UniversalTransformer, LayerScaleZeroIsTheIdentity) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.layer_scale = 0;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 2, 5, 4), format);
  EXPECT_LT(largest_difference(model(batch, loops(1)), model(batch, loops(9))), kRounding);
}

TEST(UniversalTransformer, ALaterTokenNeverChangesAnEarlierAnswerUnderTheCausalMask) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::rotary}) {
    ModelConfig config = small_config();
    config.positions = positions;
    const auto model = in_double(config, format);
    const Samples samples = random_samples(format, 1, 7, 5);
    const Tensor before = model(in_double(samples, format), loops(3));
    for (std::size_t changed = 0; changed < 7; ++changed) {
      Samples other = samples;
      other.indices[changed] = (other.indices[changed] + 1) % 5;
      const Tensor after = model(in_double(other, format), loops(3));
      for (std::int64_t i = 0; i < 7; ++i) {
        const double moved = largest_difference(before[0][i], after[0][i]);
        if (i < static_cast<std::int64_t>(changed)) {
          EXPECT_EQ(moved, 0) << i;
        } else {
          EXPECT_GT(moved, 1e-6) << i;
        }
      }
    }
  }
}

TEST(UniversalTransformer, UnderAnAdjacencyMaskTLoopsSeeExactlyTHops) {
  const TaskFormat format = letters_format(TaskFormat::View::given);
  ModelConfig config = small_config();
  config.gate = ModelConfig::Gate::gru;
  const auto model = in_double(config, format);
  constexpr std::int64_t kVertices = 7;  // the path 0 -> 1 -> ... -> 6: row i reads i and i + 1
  Samples samples = random_samples(format, 1, kVertices, 6);
  for (std::int64_t i = 0; i < kVertices; ++i)
    for (std::int64_t j = 0; j < kVertices; ++j)
      samples.view[static_cast<std::size_t>(i * kVertices + j)] = j == i || j == i + 1;
  for (std::uint32_t steps = 1; steps <= 6; ++steps) {
    const Tensor before = model(in_double(samples, format), loops(steps));
    for (std::size_t changed = 0; changed < kVertices; ++changed) {
      Samples other = samples;
      other.indices[changed] = (other.indices[changed] + 1) % 5;
      const Tensor after = model(in_double(other, format), loops(steps));
      for (std::int64_t i = 0; i < kVertices; ++i) {
        const std::int64_t hops = static_cast<std::int64_t>(changed) - i;
        const double moved = largest_difference(before[0][i], after[0][i]);
        if (hops < 0 || hops > steps) {
          EXPECT_EQ(moved, 0) << steps << " loops, " << i << " reads " << changed;
        } else {
          EXPECT_GT(moved, 0) << steps << " loops, " << i << " reads " << changed;
        }
      }
    }
  }
}

TEST(UniversalTransformer, AKeyValueCacheEqualsFullRecomputation) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::rotary,
                               ModelConfig::Positions::relative, ModelConfig::Positions::deberta}) {
    ModelConfig config = small_config();
    config.initial = 1;
    config.final = 1;
    config.positions = positions;
    config.max_distance = 3;
    const auto model = in_double(config, format);
    const Batch batch = in_double(random_samples(format, 3, 9, 7), format);
    const Tensor whole = model(batch, loops(2));
    std::vector<KeyValueCache> caches;
    std::int64_t at = 0;
    for (const std::int64_t length : {4, 1, 1, 3}) {
      Batch part = batch;
      part.indices = batch.indices.narrow(1, at, length);
      PassOptions options = loops(2);
      options.caches = &caches;
      options.first_position = at;
      EXPECT_LT(largest_difference(model(part, options), whole.narrow(1, at, length)), kRounding);
      at += length;
    }
    EXPECT_EQ(caches.size(), 4u) << "one for every executed block";
  }
}

TEST(UniversalTransformer, SeveralNumbersOfLoopsInOnePassAreThePassesOneByOne) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.final = 1;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 3, 5, 23), format);
  PassTrace trace;
  trace.read_after = {1, 3, 4};
  const Tensor last = model(batch, loops(4), &trace);
  ASSERT_EQ(trace.logits.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(largest_difference(trace.logits[i], model(batch, loops(trace.read_after[i]))), 0);
  EXPECT_EQ(largest_difference(trace.logits[2], last), 0);
}

TEST(UniversalTransformer, ALoopBeyondTheTableOfStepsIsRefused) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.step_embedding = ModelConfig::StepEmbedding::learned;
  config.step_rows = 3;
  const Batch batch = in_double(random_samples(format, 1, 4, 15), format);
  EXPECT_THROW(in_double(config, format)(batch, loops(4)), InputError);
}

TEST(UniversalTransformer, TheVectorOfAStepIsItsRowTimesTheScaleOfSteps) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.step_embedding = ModelConfig::StepEmbedding::learned;
  const auto plain = in_double(config, format);
  config.step_scale = 0.25;
  auto scaled = in_double(config, format);
  copy_rest(plain, scaled);
  const Batch batch = in_double(random_samples(format, 2, 5, 16), format);
  EXPECT_GT(largest_difference(plain(batch, loops(3)), scaled(batch, loops(3))), 1e-4);
  const torch::NoGradGuard no_grad;
  parameter(scaled, "step_embedding").mul_(4);
  EXPECT_LT(largest_difference(plain(batch, loops(3)), scaled(batch, loops(3))), kRounding);
}

TEST(UniversalTransformer, AbsentPartsHaveNoParameters) {
  // The numbers of the specification of depth-recurrent transformers, sections 2 and 8.
  TaskFormat format;
  format.tables = {3};
  format.view = TaskFormat::View::given;
  format.readout = TaskFormat::Readout::pair;
  const RunConfig small = preset("thinking_deeper", "graphs");
  EXPECT_EQ(UniversalTransformer(small.model, format, 1).parameters().count(), 51586);
  const RunConfig paper = preset("thinking_deeper", "graphs paper-size");
  const UniversalTransformer model(paper.model, format, 1);
  std::int64_t block = 0, gate = 0, steps = 0;
  for (const auto& parameter_ : model.parameters().all()) {
    if (parameter_.name.starts_with("repeated")) block += parameter_.tensor.numel();
    if (parameter_.name.starts_with("gate")) gate += parameter_.tensor.numel();
    if (parameter_.name.starts_with("step")) steps += parameter_.tensor.numel();
  }
  EXPECT_EQ(block, 132480);
  EXPECT_EQ(gate, 32896);
  EXPECT_EQ(steps, 2560);
}

TEST(UniversalTransformer, AnIdentityBiasedGateKeepsMostOfTheStateAndTheGradientOfTwentySteps) {
  // DR-6 of the specification of depth-recurrent transformers.
  const TaskFormat format = [] {
    TaskFormat f;
    f.tables = {3};
    f.view = TaskFormat::View::given;
    f.readout = TaskFormat::Readout::pair;
    return f;
  }();
  const RunConfig config = preset("thinking_deeper", "graphs");
  UniversalTransformer model(config.model, format, 3);
  const Batch batch =
      to_batch(random_samples(format, 16, 24, 16), format, torch::kCPU, torch::kFloat32);
  EXPECT_TRUE(
      torch::sigmoid(parameter(model, "gate.bias")).sub(0.12).abs().lt(0.02).all().item<bool>());
  EXPECT_TRUE(model(batch, loops(20)).isfinite().all().item<bool>());
  const auto gradient_norm = [&](std::uint32_t steps) {
    model.parameters().gradients().zero_();
    mean_loss(model(batch, loops(steps)), batch, format).backward();
    return parameter(model, "embedding.0").grad().norm().item<double>();
  };
  EXPECT_GT(gradient_norm(20), 1e-3 * gradient_norm(1));
}

}}  // namespace logdepth::learned_tests
