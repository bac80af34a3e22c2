// The fused pass of attention, the optimiser and the files against libtorch's own operations.
#include "learned/core/attention.hpp"

#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

#include <filesystem>
#include <fstream>

#include "learned/core/optimiser.hpp"
#include "logdepth/errors.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests {
namespace {

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
        for (int kind = 0; kind < 8; ++kind) {
          const std::int64_t batch = 3, heads = 2;
          AttentionMask mask;
          mask.causal = kind % 2 == 1;
          mask.lengths = torch::randint(1, tokens + 1, {batch}, torch::kLong);
          const auto terms = [&] {
            DistanceTerms distances;
            distances.most = kind >= 2 ? most : 0;
            if (kind >= 4)
              for (Tensor* term : {&distances.by_query, &distances.by_key})
                *term = torch::randn({batch, heads, tokens, 2 * most}, type).requires_grad_();
            if (kind >= 6 || kind / 2 == 1)
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
          const Tensor fused = fused_attention(a, heads, mask, a_terms);
          const Tensor plain = by_operations(b, heads, mask, b_terms);
          EXPECT_LT(largest_difference(fused, plain), near) << tokens << " tokens, kind " << kind;
          (fused * above).sum().backward();
          (plain * above).sum().backward();
          EXPECT_LT(largest_difference(a.grad(), b.grad()), 10 * near) << "kind " << kind;
          const auto same_gradient = [&](const Tensor& left, const Tensor& right) {
            if (left.defined()) {
              EXPECT_LT(largest_difference(left.grad(), right.grad()), 10 * near);
            }
          };
          same_gradient(a_terms.by_distance, b_terms.by_distance);
          same_gradient(a_terms.by_query, b_terms.by_query);
          same_gradient(a_terms.by_key, b_terms.by_key);
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
                                             .betas({training.beta1, training.beta2})
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

}  // namespace
}  // namespace logdepth::learned_tests
