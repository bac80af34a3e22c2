// Losses against sums by hand, and gradients of every part against differences.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <cmath>

#include "learned/core/universal_transformer.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests {
namespace {

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

}  // namespace
}  // namespace logdepth::learned_tests
