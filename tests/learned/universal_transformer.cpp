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
  EXPECT_LT(largest_difference(model(batch, loops(1)), model(batch, loops(10))), kRounding);
  config.gate_bias = 0;
  const auto open = in_double(config, format);
  EXPECT_GT(largest_difference(open(batch, loops(1)), open(batch, loops(10))), 1e-2);
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
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::absolute,
                               ModelConfig::Positions::rotary, ModelConfig::Positions::relative,
                               ModelConfig::Positions::deberta}) {
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

/// Autograd against central differences of fourth order, for a sample of the numbers of every
/// parameter.
void check_gradients(Network& network, const Batch& batch, const PassOptions& options,
                     const TrainingConfig& training, const std::string& what) {
  const auto loss = [&] { return supervised_loss(network, batch, options, training); };
  network.parameters().gradients().zero_();
  loss().backward();
  constexpr double kStep = 1e-5;
  for (const auto& parameter_ : network.parameters().all()) {
    const Tensor flat = parameter_.tensor.detach().view(-1);
    const Tensor gradient = parameter_.tensor.grad().view(-1);
    for (std::int64_t i = 0; i < flat.numel(); i += std::max<std::int64_t>(1, flat.numel() / 3)) {
      const torch::NoGradGuard no_grad;
      const double value = flat[i].item<double>();
      const auto at = [&](double steps) {
        flat[i] = value + steps * kStep;
        return loss().item<double>();
      };
      const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * kStep);
      flat[i] = value;
      EXPECT_NEAR(gradient[i].item<double>(), slope, 1e-7)
          << what << ", " << parameter_.name << "[" << i << "]";
    }
  }
}

TEST(UniversalTransformer, GradientsOfEveryPartAgreeWithDifferences) {
  const auto try_config = [](const std::string& what, const auto& change) {
    for (const auto view :
         {TaskFormat::View::causal, TaskFormat::View::everything, TaskFormat::View::given})
      for (const bool padded : {false, true}) {
        TaskFormat format = letters_format(view);
        ModelConfig config = small_config();
        TrainingConfig training;
        change(config, format, training);
        auto model = in_double(config, format);
        Samples samples = random_samples(format, 2, 4, 10, padded);
        if (training.supervision == TrainingConfig::Supervision::when_due)
          for (std::size_t i = 0; i < samples.targets.size(); ++i)
            samples.due.push_back(static_cast<std::int32_t>(1 + i % 2));
        check_gradients(model, in_double(samples, format), loops(2), training,
                        what + (padded ? ", padded" : ""));
      }
  };
  using Config = ModelConfig;
  using Training = TrainingConfig;
  try_config("plain", [](Config&, TaskFormat&, Training&) {});
  try_config("gru gate", [](Config& c, TaskFormat&, Training&) { c.gate = Config::Gate::gru; });
  try_config("step embedding", [](Config& c, TaskFormat&, Training&) {
    c.step_embedding = Config::StepEmbedding::learned;
    c.step_rows = 2;
  });
  try_config("layer scale and query-key norm", [](Config& c, TaskFormat&, Training&) {
    c.layer_scale = 0.3;
    c.query_key_norm = true;
  });
  try_config("RMS norm after the sublayers", [](Config& c, TaskFormat&, Training&) {
    c.norm = Config::NormKind::rmsnorm;
    c.norm_place = Config::NormPlace::after;
  });
  try_config("SwiGLU with rotary positions, without bias", [](Config& c, TaskFormat&, Training&) {
    c.activation = Config::Activation::swiglu;
    c.positions = Config::Positions::rotary;
    c.bias = false;
  });
  try_config("rotary positions after a query-key norm", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::rotary;
    c.query_key_norm = true;
  });
  try_config("absolute positions", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::absolute;
    c.position_rows = 4;
  });
  try_config("relative positions", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::relative;
    c.max_distance = 2;
  });
  try_config("disentangled positions", [](Config& c, TaskFormat&, Training&) {
    c.positions = Config::Positions::deberta;
    c.max_distance = 2;
  });
  try_config("final layers, features and the mean over steps",
             [](Config& c, TaskFormat& f, Training& t) {
               c.final = 1;
               f.features = 3;
               t.supervision = Training::Supervision::mean_steps;
             });
  try_config("several heads of answers, asked for when they are due",
             [](Config&, TaskFormat& f, Training& t) {
               f.outputs = {2, 5, 3};
               t.supervision = Training::Supervision::when_due;
             });
  try_config("a loss that forgives an empty answer", [](Config&, TaskFormat& f, Training& t) {
    f.outputs = {2, 5};
    f.empty = TaskFormat::Empty{1, 4};
    t.supervision = Training::Supervision::mean_steps;
    t.empty_discount = 0.5;
  });
  try_config("pair readout",
             [](Config&, TaskFormat& f, Training&) { f.readout = TaskFormat::Readout::pair; });
  try_config("readout of one token",
             [](Config&, TaskFormat& f, Training&) { f.readout = TaskFormat::Readout::one_token; });
}

/// Formats and models that read padded samples, one for each kind of positions.
template <class F>
void for_each_position_kind(const F& work) {
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::absolute,
                               ModelConfig::Positions::rotary, ModelConfig::Positions::relative,
                               ModelConfig::Positions::deberta})
    for (const auto view :
         {TaskFormat::View::causal, TaskFormat::View::everything, TaskFormat::View::given}) {
      ModelConfig config = small_config();
      config.positions = positions;
      config.max_distance = 3;
      config.gate = ModelConfig::Gate::gru;
      work(config, letters_format(view));
    }
}

TEST(UniversalTransformer, PaddingChangesNoAnswerAndABatchEqualsItsSamplesOneByOne) {
  for_each_position_kind([](const ModelConfig& config, const TaskFormat& format) {
    const auto model = in_double(config, format);
    const Samples samples = random_samples(format, 5, 7, 21, /*padded=*/true);
    const Tensor together = model(in_double(samples, format), loops(3));
    for (std::size_t b = 0; b < samples.count; ++b) {
      const auto length = static_cast<std::size_t>(samples.lengths[b]);
      Samples alone;
      alone.count = 1;
      alone.tokens = alone.size = length;
      for (std::size_t i = 0; i < length; ++i) {
        alone.indices.push_back(samples.indices[b * 7 + i]);
        alone.targets.push_back(samples.targets[b * 7 + i]);
        if (format.view == TaskFormat::View::given)
          for (std::size_t j = 0; j < length; ++j)
            alone.view.push_back(samples.view[(b * 7 + i) * 7 + j]);
      }
      const Tensor single = model(in_double(alone, format), loops(3));
      const Tensor part = together.narrow(0, static_cast<std::int64_t>(b), 1)
                              .narrow(1, 0, static_cast<std::int64_t>(length));
      EXPECT_LT(largest_difference(single, part), kRounding) << "sample " << b;
    }
  });
}

TEST(UniversalTransformer, TheFusedPassEqualsTensorOperationsWithEveryKindOfPositions) {
  for_each_position_kind([](const ModelConfig& config, const TaskFormat& format) {
    for (const bool norm : {false, true}) {
      ModelConfig normed = config;
      normed.query_key_norm = norm;
      const auto model = in_double(normed, format);
      const Batch batch = in_double(random_samples(format, 4, 9, 22, /*padded=*/true), format);
      // A probe is shown the weights, which the fused pass does not hand out.
      std::size_t seen = 0;
      const Probe probe = [&](const ProbeView& view) { seen += view.weights.defined(); };
      PassOptions watched = loops(2);
      watched.probe = &probe;
      EXPECT_LT(largest_difference(model(batch, watched), model(batch, loops(2))), kRounding);
      EXPECT_EQ(seen, 2u);
    }
  });
}

TEST(UniversalTransformer, RelativeAndDisentangledPositionsTellOrdersApart) {
  for (const auto positions : {ModelConfig::Positions::relative, ModelConfig::Positions::deberta}) {
    ModelConfig config = small_config();
    config.positions = positions;
    config.max_distance = 2;
    const TaskFormat format = letters_format(TaskFormat::View::everything);
    auto model = in_double(config, format);
    if (positions == ModelConfig::Positions::relative) {
      const torch::NoGradGuard no_grad;
      parameter(model, "repeated.0.distance_bias")
          .copy_(torch::arange(8, torch::kFloat64).view({2, 4}) / 10);
    }
    Batch batch = in_double(random_samples(format, 2, 6, 8), format);
    const Tensor here = model(batch, loops(2));
    batch.indices = batch.indices.flip(1);
    EXPECT_GT(largest_difference(model(batch, loops(2)).flip(1), here), 1e-6);
  }
}

TEST(UniversalTransformer, SeveralNumbersOfLoopsInOnePassAreThePassesOneByOne) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.final = 1;
  const auto model = in_double(config, format);
  const Batch batch = in_double(random_samples(format, 3, 5, 23), format);
  Trace trace;
  trace.read_after = {1, 3, 4};
  const Tensor last = model(batch, loops(4), &trace);
  ASSERT_EQ(trace.logits.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(largest_difference(trace.logits[i], model(batch, loops(trace.read_after[i]))), 0);
  EXPECT_EQ(largest_difference(trace.logits[2], last), 0);
}

TEST(UniversalTransformer, ReadingsOfALoopAreMeansOverTheTokensThatAreNoPadding) {
  const TaskFormat format = letters_format(TaskFormat::View::everything);
  ModelConfig config = small_config();
  config.gate = ModelConfig::Gate::gru;
  const auto model = in_double(config, format);
  Samples samples = random_samples(format, 3, 6, 24, /*padded=*/true);
  Trace one, other;
  one.take_readings = other.take_readings = true;
  model(in_double(samples, format), loops(3), &one);
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = static_cast<std::size_t>(samples.lengths[b]); i < 6; ++i)
      samples.indices[b * 6 + i] = (samples.indices[b * 6 + i] + 1) % 5;
  model(in_double(samples, format), loops(3), &other);
  ASSERT_EQ(one.readings.size(), 3u);
  for (std::size_t step = 0; step < 3; ++step) {
    EXPECT_GT(one.readings[step].change, 0);
    EXPECT_NEAR(one.readings[step].change, other.readings[step].change, kRounding);
    EXPECT_NEAR(one.readings[step].gate_share, other.readings[step].gate_share, kRounding);
  }
}

TEST(UniversalTransformer, SamplesBeyondTheTableOfPositionsAreRefused) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.positions = ModelConfig::Positions::absolute;
  config.position_rows = 5;
  const auto model = in_double(config, format);
  EXPECT_NO_THROW(model(in_double(random_samples(format, 1, 5, 1), format), loops(1)));
  EXPECT_THROW(model(in_double(random_samples(format, 1, 6, 1), format), loops(1)), InputError);
}

TEST(Loss, TargetsCountFromTheLoopOnAtWhichTheyAreDue) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  Samples samples = random_samples(format, 2, 3, 25);
  samples.due = {1, 2, 3, 1, 3, 3};
  const Tensor logits = torch::randn({2, 3, 5}, torch::kFloat64);
  const auto by_hand = [&](std::int32_t loop) {
    double sum = 0;
    int asked = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (samples.due[i] > loop) continue;
      const Tensor row = logits.view({6, 5})[static_cast<std::int64_t>(i)];
      sum -= torch::log_softmax(row, 0)[samples.targets[i]].item<double>();
      ++asked;
    }
    return sum / asked;
  };
  const Batch batch = in_double(samples, format);
  for (const std::int32_t loop : {1, 2, 3})
    EXPECT_NEAR(mean_loss(logits, batch, format, {loop, 0}).item<double>(), by_hand(loop), 1e-12);
}

TEST(Loss, AnEmptyAnswerIsForgivenAsEquationEightSays) {
  TaskFormat format = letters_format(TaskFormat::View::causal);
  format.outputs = {2, 4};
  format.empty = TaskFormat::Empty{1, 3};
  const Samples samples = random_samples(format, 1, 3, 26);
  const Tensor logits = torch::randn({1, 3, 6}, torch::kFloat64);
  double expected = 0;
  for (std::int64_t i = 0; i < 3; ++i) {
    const Tensor first = torch::softmax(logits[0][i].narrow(0, 0, 2), 0);
    const Tensor second = torch::softmax(logits[0][i].narrow(0, 2, 4), 0);
    const auto at = static_cast<std::size_t>(2 * i);
    expected -= std::log(first[samples.targets[at]].item<double>()) / 3;
    expected -= std::log(second[samples.targets[at + 1]].item<double>()) *
                (1 - 0.7 * second[3].item<double>()) / 3;
  }
  EXPECT_NEAR(mean_loss(logits, in_double(samples, format), format, {0, 0.7}).item<double>(),
              expected, 1e-12);
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
  trace.take_readings = true;
  const Tensor last = model(batch, loops(20), &trace);
  EXPECT_GE(trace.readings[0].gate_share, 0.10);
  EXPECT_LE(trace.readings[0].gate_share, 0.14);
  EXPECT_TRUE(last.isfinite().all().item<bool>());
  EXPECT_TRUE(std::isfinite(trace.readings[19].change));
  const auto gradient_norm = [&](std::uint32_t steps) {
    model.parameters().gradients().zero_();
    mean_loss(model(batch, loops(steps)), batch, format).backward();
    return parameter(model, "embedding.0").grad().norm().item<double>();
  };
  EXPECT_GT(gradient_norm(20), 1e-3 * gradient_norm(1));
}

}  // namespace
}  // namespace logdepth::learned_tests
