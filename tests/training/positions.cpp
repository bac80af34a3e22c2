// Positions and padding: what answers depend on, and that the fused pass of attention is the plain one.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "learned/core/universal_transformer.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::positions_tests {
namespace {

using namespace learned_tests;

constexpr double kRounding = 1e-10;

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

TEST(UniversalTransformer, SamplesBeyondTheTableOfPositionsAreRefused) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.positions = ModelConfig::Positions::absolute;
  config.position_rows = 5;
  const auto model = in_double(config, format);
  EXPECT_NO_THROW(model(in_double(random_samples(format, 1, 5, 1), format), loops(1)));
  EXPECT_THROW(model(in_double(random_samples(format, 1, 6, 1), format), loops(1)), InputError);
}

}  // namespace
}  // namespace logdepth::positions_tests
