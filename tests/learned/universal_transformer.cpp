// What the parts of the universal transformer do, without training.
#include "learned/core/universal_transformer.hpp"

#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <cmath>

#include "learned/depth_recurrent/presets.hpp"
#include "learned/word_problems/presets.hpp"
#include "objects/input_error.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests {
namespace {

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
  config.gate_bias = -60;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 2, 5, 3), format);
  Trace one, ten;
  one.keep_states = ten.keep_states = true;
  model(batch, loops(1), &one);
  model(batch, loops(10), &ten);
  EXPECT_LT(largest_difference(one.steps[0].state, ten.steps[9].state), kRounding);
  config.gate_bias = 0;
  const auto open = in_double(config, format);
  Trace moving;
  moving.keep_states = true;
  open(batch, loops(10), &moving);
  EXPECT_GT(largest_difference(moving.steps[0].state, moving.steps[9].state), 1e-2);
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
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::rotary}) {
    ModelConfig config = small_config();
    config.initial = 1;
    config.final = 1;
    config.positions = positions;
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

TEST(UniversalTransformer, RotaryPositionsDependOnDistancesOnly) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.positions = ModelConfig::Positions::rotary;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 2, 6, 8), format);
  PassOptions shifted = loops(3);
  shifted.first_position = 1000;
  const Tensor there = model(batch, shifted), here = model(batch, loops(3));
  EXPECT_LT(largest_difference(there, here), 1e-8);
  Batch reversed = batch;
  reversed.indices = batch.indices.flip(1);
  EXPECT_GT(largest_difference(model(reversed, loops(3)).flip(1), here), 1e-4)
      << "distances matter";
}

TEST(UniversalTransformer, AGradientSpanEqualsAnExplicitDetach) {
  // The gradient of a block that runs T times is the sum over the T layers of an untied stack; with
  // a span of k only the last k of them count, and nothing before them has a gradient.
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  auto looped = in_double(small_config(), format);
  ModelConfig config = small_config();
  config.initial = 4;
  config.repeated = 0;
  auto stack = in_double(config, format);
  copy_rest(looped, stack);
  for (int i = 0; i < 4; ++i)
    copy_block(looped, "repeated.0", stack, "initial." + std::to_string(i));
  const Batch batch = in_double(random_samples(format, 3, 5, 9), format);
  mean_loss(stack(batch, loops(1)), batch, format).backward();
  for (const std::uint32_t span : {1u, 2u, 3u}) {
    looped.parameters().gradients().zero_();
    PassOptions options = loops(4);
    options.gradient_span = span;
    mean_loss(looped(batch, options), batch, format).backward();
    for (const auto& one : looped.parameters().all()) {
      const std::string prefix = "repeated.0";
      if (one.name.starts_with("embedding")) {
        EXPECT_EQ(one.tensor.grad().abs().max().item<double>(), 0) << one.name;
      } else if (one.name.starts_with(prefix)) {
        Tensor sum = torch::zeros_like(one.tensor);
        for (std::uint32_t i = 4 - span; i < 4; ++i)
          sum = sum +
                parameter(stack, "initial." + std::to_string(i) + one.name.substr(prefix.size()))
                    .grad();
        EXPECT_LT(largest_difference(one.tensor.grad(), sum), kRounding) << one.name;
      }
    }
  }
}

/// Autograd against central differences, for a sample of the numbers of every parameter.
void check_gradients(Network& network, const Batch& batch, const PassOptions& options,
                     TrainingConfig::Supervision supervision, const std::string& what) {
  const auto loss = [&] { return supervised_loss(network, batch, options, supervision); };
  network.parameters().gradients().zero_();
  loss().backward();
  constexpr double kStep = 1e-5;
  for (const auto& parameter_ : network.parameters().all()) {
    const Tensor flat = parameter_.tensor.detach().view(-1);
    const Tensor gradient = parameter_.tensor.grad().view(-1);
    for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(1, flat.numel() / 3)) {
      const torch::NoGradGuard no_grad;
      const double value = flat[i].item<double>();
      flat[i] = value + kStep;
      const double above = loss().item<double>();
      flat[i] = value - kStep;
      const double below = loss().item<double>();
      flat[i] = value;
      EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * kStep), 1e-7)
          << what << ", " << parameter_.name << "[" << i << "]";
    }
  }
}

TEST(UniversalTransformer, GradientsOfEveryPartAgreeWithDifferences) {
  const auto try_config = [](const std::string& what, const auto& change) {
    for (const auto view :
         {TaskFormat::View::causal, TaskFormat::View::everything, TaskFormat::View::given}) {
      TaskFormat format = letters_format(view);
      ModelConfig config = small_config();
      auto supervision = TrainingConfig::Supervision::last;
      change(config, format, supervision);
      auto model = in_double(config, format);
      const Batch batch = in_double(random_samples(format, 2, 4, 10), format);
      PassOptions options = loops(2);
      options.training = true;
      check_gradients(model, batch, options, supervision, what);
    }
  };
  using Config = ModelConfig;
  using Super = TrainingConfig::Supervision;
  try_config("plain", [](Config&, TaskFormat&, Super&) {});
  try_config("gru gate", [](Config& c, TaskFormat&, Super&) { c.gate = Config::Gate::gru; });
  try_config("residual norm",
             [](Config& c, TaskFormat&, Super&) { c.gate = Config::Gate::residual_norm; });
  try_config("step embedding", [](Config& c, TaskFormat&, Super&) {
    c.step_embedding = Config::StepEmbedding::learned;
    c.step_rows = 2;
  });
  try_config("injection by sum",
             [](Config& c, TaskFormat&, Super&) { c.injection = Config::Injection::add; });
  try_config("injection by concatenation",
             [](Config& c, TaskFormat&, Super&) { c.injection = Config::Injection::concat; });
  try_config("layer scale and query-key norm", [](Config& c, TaskFormat&, Super&) {
    c.layer_scale = 0.3;
    c.query_key_norm = true;
  });
  try_config("RMS norm after the sublayers", [](Config& c, TaskFormat&, Super&) {
    c.norm = Config::NormKind::rmsnorm;
    c.norm_place = Config::NormPlace::after;
  });
  try_config("SwiGLU with rotary positions, without bias", [](Config& c, TaskFormat&, Super&) {
    c.activation = Config::Activation::swiglu;
    c.positions = Config::Positions::rotary;
    c.bias = false;
  });
  try_config("final layers, features and the mean over steps",
             [](Config& c, TaskFormat& f, Super& s) {
               c.final = 1;
               f.features = 3;
               s = Super::mean_steps;
             });
  try_config("halting head",
             [](Config& c, TaskFormat&, Super&) { c.halting = Config::Halting::head; });
  try_config("pair readout",
             [](Config&, TaskFormat& f, Super&) { f.readout = TaskFormat::Readout::pair; });
}

TEST(UniversalTransformer, ADiscretisedStateIsOneOfTheCodesAndItsGradientPassesThroughTheSoftmax) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.discretiser = ModelConfig::Discretiser::argmax;
  config.codes = 4;
  auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 3, 5, 11), format);
  Trace trace;
  trace.keep_states = true;
  model(batch, loops(2), &trace);
  const Tensor codes = parameter(model, "codes");
  for (const StepRecord& step : trace.steps) {
    const Tensor distance = torch::cdist(step.state.flatten(0, 1), codes.detach());
    EXPECT_LT(std::get<0>(distance.min(1)).max().item<double>(), 1e-6);
  }
  mean_loss(model(batch, loops(1)), batch, format).backward();
  EXPECT_GT(parameter(model, "repeated.0.in.weight").grad().abs().max().item<double>(), 0)
      << "an arg max alone would stop the gradient";
}

TEST(UniversalTransformer, CorruptionReplacesAsManyStatesAsItSaysAndOnlyInTraining) {
  ModelConfig config = small_config();
  config.corruption = 0.25;
  const StateCorruptor corruptor(config);
  const Tensor state = torch::full({40, 50, 8}, 3.0, torch::kFloat64);
  const Tensor noisy = corruptor(state, {}, CounterRandom(1, RandomStream::corruption, 2, 3));
  const double share = (noisy != state).any(-1).to(torch::kFloat64).mean().item<double>();
  EXPECT_NEAR(share, 0.25, 0.04);
  const Tensor again = corruptor(state, {}, CounterRandom(1, RandomStream::corruption, 2, 3));
  EXPECT_TRUE(torch::equal(noisy, again));

  const TaskFormat format = letters_format(TaskFormat::View::everything);
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 3, 5, 12), format);
  PassOptions training = loops(2);
  training.training = true;
  EXPECT_GT(largest_difference(model(batch, training), model(batch, loops(2))), 1e-3);
  EXPECT_EQ(largest_difference(model(batch, loops(2)), model(batch, loops(2))), 0);
}

TEST(UniversalTransformer, CorruptionUnderADiscretiserGivesACode) {
  ModelConfig config = small_config();
  config.corruption = 1;
  const StateCorruptor corruptor(config);
  const Tensor codes = torch::arange(32, torch::kFloat64).view({4, 8});
  const Tensor state = torch::full({6, 5, 8}, -3.0, torch::kFloat64);
  const Tensor noisy = corruptor(state, codes, CounterRandom(1, RandomStream::corruption));
  const Tensor is_code = (noisy.unsqueeze(2) == codes).all(-1);
  EXPECT_TRUE(is_code.any(-1).all().item<bool>());
  EXPECT_TRUE(is_code.flatten(0, 1).any(0).all().item<bool>()) << "every code is drawn";
}

TEST(UniversalTransformer, AFixedPointHaltsEverySampleByItself) {
  // LayerScale 0 makes the first step a fixed point; a step embedding moves the state of all.
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.layer_scale = 0;
  config.halting = ModelConfig::Halting::fixed_point;
  const auto still = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 3, 5, 13), format);
  Trace trace;
  still(batch, loops(10), &trace);
  EXPECT_EQ(trace.steps.size(), 1u);
  config.layer_scale = 0.5;
  const auto moving = in_double(config, format);
  Trace longer;
  moving(batch, loops(10), &longer);
  EXPECT_EQ(longer.steps.size(), 10u);
  PassOptions training = loops(4);
  training.training = true;
  Trace all;
  still(batch, training, &all);
  EXPECT_EQ(all.steps.size(), 4u) << "training runs every step";
}

TEST(UniversalTransformer, AHaltedSampleKeepsItsStateWhileOthersThinkOn) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.halting = ModelConfig::Halting::head;
  auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 32, 5, 14), format);
  // A bias in the middle of the logits of the second step halts about half of the samples there.
  Trace probe;
  model(batch, loops(2), &probe);
  {
    const torch::NoGradGuard no_grad;
    parameter(model, "halting.bias").sub_(probe.steps[1].halting_logit.median());
  }
  Trace trace;
  trace.keep_states = true;
  model(batch, loops(4), &trace);
  const Tensor halted = trace.steps[1].halting_logit > 0;
  const std::int64_t count = halted.sum().item<std::int64_t>();
  ASSERT_GT(count, 4);
  ASSERT_LT(count, 28);
  EXPECT_EQ(trace.steps[2].active, 32 - count);
  const Tensor moved = (trace.steps[2].state != trace.steps[1].state).flatten(1).any(1);
  EXPECT_TRUE(torch::equal(moved, ~halted));
}

TEST(UniversalTransformer, ALoopBeyondTheTableOfStepsIsRefusedOrClamped) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.step_embedding = ModelConfig::StepEmbedding::learned;
  config.step_rows = 3;
  const Batch batch = in_double(random_samples(format, 1, 4, 15), format);
  EXPECT_THROW(in_double(config, format)(batch, loops(4)), InputError);
  config.step_embedding = ModelConfig::StepEmbedding::clamped;
  config.trained_steps = 2;
  EXPECT_TRUE(in_double(config, format)(batch, loops(9)).isfinite().all().item<bool>());
}

TEST(UniversalTransformer, AbsentPartsHaveNoParameters) {
  // The numbers of the specification of depth-recurrent transformers, sections 2 and 8.
  TaskFormat format;
  format.tables = {3};
  format.view = TaskFormat::View::given;
  format.readout = TaskFormat::Readout::pair;
  const RunConfig small = depth_recurrent(HopTaskConfig::Generator::twin, false);
  EXPECT_EQ(UniversalTransformer(small.model, format, 1).parameters().count(), 51586);
  const RunConfig paper = depth_recurrent(HopTaskConfig::Generator::twin, true);
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
  const RunConfig config = depth_recurrent(HopTaskConfig::Generator::twin, false);
  UniversalTransformer model(config.model, format, 3);
  const Batch batch =
      to_batch(random_samples(format, 16, 24, 16), format, torch::kCPU, torch::kFloat32);
  Trace trace;
  trace.keep_states = true;
  model(batch, loops(20), &trace);
  EXPECT_GE(trace.steps[0].gate_share, 0.10);
  EXPECT_LE(trace.steps[0].gate_share, 0.14);
  EXPECT_TRUE(std::isfinite((trace.steps[19].state - trace.steps[0].state).norm().item<double>()));
  const auto gradient_norm = [&](std::uint32_t steps) {
    model.parameters().gradients().zero_();
    mean_loss(model(batch, loops(steps)), batch, format).backward();
    return parameter(model, "embedding.0").grad().norm().item<double>();
  };
  EXPECT_GT(gradient_norm(20), 1e-3 * gradient_norm(1));
}

}  // namespace
}  // namespace logdepth::learned_tests
