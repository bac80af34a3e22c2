#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/optim/adamw.h>

#include <filesystem>
#include <fstream>

#include "learned/core/block.hpp"
#include "learned/core/parameters.hpp"
#include "learned/core/universal_transformer.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/networks.hpp"

// The fused pass of attention, the optimiser and the files against libtorch's own operations.

namespace logdepth::learned_tests { namespace {

/// Attention of packed queries, keys and values by tensor operations.
Tensor by_operations(const Tensor& packed, std::int64_t heads, const AttentionMask& mask,
                     const DistanceTerms& distances = {}) {
  const std::int64_t batch = packed.size(0), tokens = packed.size(1), width = packed.size(2) / 3;
  const auto part = [&](std::int64_t which) {
    return packed.narrow(-1, which * width, width)
        .view({batch, tokens, heads, width / heads})
        .transpose(1, 2);
  };
  return attention(part(0), part(1), part(2), mask.bias(tokens, tokens, packed.options()),
                   TrainingConfig::Precision::float32, distances)
      .values.transpose(1, 2)
      .reshape({batch, tokens, width});
}

TEST(FusedAttention, EqualsTensorOperationsForwardAndBackwardUnderEveryMask) {
  torch::manual_seed(1);
  for (const auto& [type, near] : {std::pair{torch::kFloat64, 1e-12}, {torch::kFloat32, 2e-5}})
    for (const std::int64_t tokens : {1, 2, 7, 16, 33})
      for (const std::int64_t head_width : {1, 3, 16})
        for (int kind = 0; kind < 4; ++kind) {
          AttentionMask mask;
          mask.causal = kind % 2 == 1;
          if (kind >= 2)
            mask.open = torch::rand({3, tokens, tokens})
                            .lt(0.4)
                            .logical_or(torch::eye(tokens).to(torch::kBool))
                            .to(torch::kUInt8);
          const Tensor values = torch::randn({3, tokens, 3 * 2 * head_width}, type);
          const Tensor above = torch::randn({3, tokens, 2 * head_width}, type);
          Tensor a = values.clone().requires_grad_(), b = values.clone().requires_grad_();
          const Tensor fused = fused_attention(a, 2, mask), plain = by_operations(b, 2, mask);
          EXPECT_LT(largest_difference(fused, plain), near) << tokens << " tokens, mask " << kind;
          (fused * above).sum().backward();
          (plain * above).sum().backward();
          EXPECT_LT(largest_difference(a.grad(), b.grad()), 10 * near)
              << tokens << " tokens, mask " << kind;
        }
}

TEST(FusedAttention, EqualsTensorOperationsWithPaddingAndDistances) {
  torch::manual_seed(3);
  for (const auto& [type, near] : {std::pair{torch::kFloat64, 1e-12}, {torch::kFloat32, 1e-5}})
    for (const std::int64_t tokens : {1, 3, 8, 19})
      for (const std::int64_t most : {1, 4})
        for (int kind = 0; kind < 4; ++kind) {
          const std::int64_t batch = 3, heads = 2;
          AttentionMask mask;
          mask.causal = kind % 2 == 1;
          mask.lengths = torch::randint(1, tokens + 1, {batch}, torch::kLong);
          const auto terms = [&] {
            DistanceTerms distances;
            distances.most = kind >= 2 ? most : 0;
            if (kind >= 2)
              distances.by_distance = torch::randn({heads, 2 * most}, type).requires_grad_();
            return distances;
          };
          torch::manual_seed(kind);
          const DistanceTerms a_terms = terms();
          torch::manual_seed(kind);
          const DistanceTerms b_terms = terms();
          const Tensor values = torch::randn({batch, tokens, 3 * heads * 4}, type);
          const Tensor above = torch::randn({batch, tokens, heads * 4}, type);
          Tensor a = values.clone().requires_grad_(), b = values.clone().requires_grad_();
          const Tensor fused = fused_attention(a, heads, mask, a_terms.by_distance);
          const Tensor plain = by_operations(b, heads, mask, b_terms);
          EXPECT_LT(largest_difference(fused, plain), near) << tokens << " tokens, kind " << kind;
          (fused * above).sum().backward();
          (plain * above).sum().backward();
          EXPECT_LT(largest_difference(a.grad(), b.grad()), 10 * near) << "kind " << kind;
          if (kind >= 2) {
            EXPECT_LT(largest_difference(a_terms.by_distance.grad(), b_terms.by_distance.grad()),
                      10 * near);
          }
        }
}

TEST(DistanceTerms, StandAtTheDistanceOfEachQueryFromEachKey) {
  DistanceTerms terms;
  terms.most = 2;
  terms.by_distance = torch::tensor({{-2.0, -1.0, 0.0, 1.0}}, torch::kFloat64);
  const Tensor scores = terms.scores(2, 4, 1);  // queries 2 and 3 of four tokens
  const Tensor expected =
      torch::tensor({{1.0, 1.0, 0.0, -1.0}, {1.0, 1.0, 1.0, 0.0}}, torch::kFloat64);
  EXPECT_EQ(largest_difference(scores[0][0], expected), 0);

  // Of a query and a key each has its own number for the distance of the other from it.
  DistanceTerms own;
  own.most = 2;
  own.by_query = torch::arange(16, torch::kFloat64).view({1, 1, 4, 4});
  own.by_key = own.by_query.square();
  const Tensor both = own.scores(4, 4, 0.5)[0][0];
  const auto index = [](std::int64_t distance) {
    return std::clamp<std::int64_t>(distance, -2, 1) + 2;
  };
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t j = 0; j < 4; ++j)
      EXPECT_EQ(both[i][j].item<double>(),
                0.5 * (own.by_query[0][0][i][index(i - j)] + own.by_key[0][0][j][index(j - i)])
                          .item<double>());
}

TEST(FusedAttention, LargeScoresDoNotOverflow) {
  const Tensor packed = torch::full({1, 4, 6}, 300.0, torch::kFloat32);
  EXPECT_TRUE(fused_attention(packed, 1, {}).isfinite().all().item<bool>());
}

#if TORCH_VERSION_MAJOR >= 2
TEST(FusedAttention, EqualsTheCallOfLibtorch) {
  torch::manual_seed(2);
  const Tensor q = torch::randn({2, 4, 9, 8}), k = torch::randn({2, 4, 9, 8}),
               v = torch::randn({2, 4, 9, 8});
  AttentionMask causal;
  causal.causal = true;
  const Tensor ours =
      attention(q, k, v, causal.bias(9, 9, q.options()), TrainingConfig::Precision::float32).values;
  EXPECT_LT(largest_difference(ours, at::scaled_dot_product_attention(q, k, v, {}, 0.0, true)),
            1e-5);
}
#endif

TEST(Precision, Bfloat16ProductsStayCloseToFloat32) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  ModelConfig config = small_config();
  config.width = 32;
  const UniversalTransformer model(config, format, 5);
  const Batch batch =
      to_batch(random_samples(format, 4, 8, 1), format, torch::kCPU, torch::kFloat32);
  PassOptions rounded = loops(2);
  rounded.precision = TrainingConfig::Precision::bfloat16;
  const double difference = largest_difference(model(batch, rounded), model(batch, loops(2)));
  EXPECT_GT(difference, 0) << "the products are rounded";
  EXPECT_LT(difference, 0.1);
}

TEST(FlatAdamW, MakesTheStepsOfLibtorchsOwnOptimiser) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  TrainingConfig training;
  training.clip = 0.5;
  training.weight_decay = 0.1;
  auto ours = in_double(small_config(), format), theirs = in_double(small_config(), format);
  FlatAdamW optimiser(training, ours.parameters());
  std::vector<Tensor> tensors;
  for (const auto& parameter_ : theirs.parameters().all()) tensors.push_back(parameter_.tensor);
  torch::optim::AdamW reference(tensors, torch::optim::AdamWOptions(0.01)
                                             .betas({FlatAdamW::kBeta1, FlatAdamW::kBeta2})
                                             .weight_decay(training.weight_decay));
  for (std::uint64_t step = 0; step < 20; ++step) {
    const Batch batch = in_double(random_samples(format, 3, 5, step), format);
    mean_loss(ours(batch, loops(2)), batch, format).backward();
    mean_loss(theirs(batch, loops(2)), batch, format).backward();
    double squares = 0;
    for (const Tensor& tensor : tensors) squares += tensor.grad().square().sum().item<double>();
    const double factor = std::min(1.0, training.clip / (std::sqrt(squares) + 1e-6));
    for (Tensor& tensor : tensors) tensor.mutable_grad().mul_(factor);
    const double rate = 0.01 / (1.0 + static_cast<double>(step));
    static_cast<torch::optim::AdamWOptions&>(reference.param_groups()[0].options()).lr(rate);
    reference.step();
    theirs.parameters().gradients().zero_();
    optimiser.step(ours.parameters(), rate);
    EXPECT_EQ(ours.parameters().gradients().abs().max().item<double>(), 0);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i)
    EXPECT_LT(largest_difference(tensors[i], ours.parameters().all()[i].tensor), 1e-11)
        << ours.parameters().all()[i].name;
}

TEST(LearningRate, GrowsLinearlyAndFallsByACosineToItsFloor) {
  TrainingConfig training;
  training.schedule = TrainingConfig::Schedule::cosine;
  training.learning_rate = 2;
  training.warm_up = 10;
  training.steps = 110;
  training.floor = 0.1;
  EXPECT_DOUBLE_EQ(learning_rate(training, 0), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate(training, 9), 2);
  EXPECT_DOUBLE_EQ(learning_rate(training, 10), 2);
  EXPECT_NEAR(learning_rate(training, 60), 1.1, 1e-12);
  EXPECT_NEAR(learning_rate(training, 110), 0.2, 1e-12);
  training.schedule = TrainingConfig::Schedule::constant;
  EXPECT_DOUBLE_EQ(learning_rate(training, 100), 2);
}

TEST(LearningRate, StaysAndFallsLinearlyInTheLastShareOfTheSteps) {
  TrainingConfig training;
  training.schedule = TrainingConfig::Schedule::decaying;
  training.learning_rate = 2;
  training.warm_up = 0;
  training.steps = 100;
  training.decay = 0.2;
  training.floor = 0.5;
  EXPECT_EQ(decay_begins(training), 80u);
  EXPECT_DOUBLE_EQ(learning_rate(training, 0), 2);
  EXPECT_DOUBLE_EQ(learning_rate(training, 80), 2);
  EXPECT_DOUBLE_EQ(learning_rate(training, 90), 1.5);
  EXPECT_DOUBLE_EQ(learning_rate(training, 100), 1);
}

TEST(TensorFiles, ParametersSurviveTheFileBitByBitAndEqualContentsGiveEqualBytes) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const UniversalTransformer from(small_config(), format, 1);
  UniversalTransformer to(small_config(), format, 2);
  const TemporaryFolder folder;
  const std::string a = folder.path() + "/a.safetensors", b = folder.path() + "/b.safetensors";
  write_tensor_file({named_tensors(from.parameters()), {{"config", "{}"}}}, a);
  write_tensor_file({named_tensors(from.parameters()), {{"config", "{}"}}}, b);
  const auto bytes = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_EQ(bytes(a), bytes(b));
  EXPECT_FALSE(torch::equal(from.parameters().values(), to.parameters().values()));
  const TensorFile read = read_tensor_file(a);
  EXPECT_EQ(read.metadata.at("config"), "{}");
  load_parameters(to.parameters(), read.tensors, a);
  EXPECT_TRUE(torch::equal(from.parameters().values(), to.parameters().values()));
}

TEST(TensorFiles, ParametersOfAnotherModelAreRefused) {
  const TaskFormat format = letters_format(TaskFormat::View::causal);
  const UniversalTransformer from(small_config(), format, 1);
  ModelConfig wider = small_config();
  wider.width = 16;
  UniversalTransformer to(wider, format, 1);
  EXPECT_THROW(load_parameters(to.parameters(), named_tensors(from.parameters()), "x"), InputError);
  auto fewer = named_tensors(to.parameters());
  fewer.erase(fewer.begin());
  EXPECT_THROW(load_parameters(to.parameters(), fewer, "x"), InputError);
  auto broken = named_tensors(to.parameters());
  broken.begin()->second = torch::full_like(broken.begin()->second, NAN);
  EXPECT_THROW(load_parameters(to.parameters(), broken, "x"), InputError);
}

}}  // namespace logdepth::learned_tests

// Positions and padding: what answers depend on, and that the fused pass of attention is the plain one.

namespace logdepth::positions_tests { namespace {

using namespace learned_tests;

constexpr double kRounding = 1e-10;

TEST(Rotary, AChannelTurnsByItsPositionTimesAPowerOfTheBase) {
  Rotary rotary;
  rotary.base = 81;
  Tensor x = torch::zeros({1, 3, 1, 8}, torch::kFloat64);
  x.select(-1, 2).fill_(1);  // the third of four pairs: 81^(-2 * 2 / 8) = 1/9
  const Tensor turned = rotary(x, rotary.turns(x, 5));
  for (std::int64_t i = 0; i < 3; ++i) {
    const double angle = static_cast<double>(5 + i) / 9;
    EXPECT_NEAR(turned[0][i][0][2].item<double>(), std::cos(angle), kRounding);
    EXPECT_NEAR(turned[0][i][0][6].item<double>(), std::sin(angle), kRounding);
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

/// Formats and models that read padded samples, one for each kind of positions.
template <class F>
void for_each_position_kind(const F& work) {
  for (const auto positions : {ModelConfig::Positions::none, ModelConfig::Positions::rotary,
                               ModelConfig::Positions::relative, ModelConfig::Positions::deberta})
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
    const auto model = in_double(config, format);
    const Batch batch = in_double(random_samples(format, 4, 9, 22, /*padded=*/true), format);
    // A probe is shown the weights, which the fused pass does not hand out.
    std::size_t seen = 0;
    const Probe probe = [&](const std::string&, const Tensor& weights) {
      seen += weights.defined();
    };
    PassOptions watched = loops(2);
    watched.probe = &probe;
    EXPECT_LT(largest_difference(model(batch, watched), model(batch, loops(2))), kRounding);
    EXPECT_EQ(seen, 2u);
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

}}  // namespace logdepth::positions_tests
