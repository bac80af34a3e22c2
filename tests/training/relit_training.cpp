// How the recursive block learns: what gradients pass, when samples and batches end.
#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <cmath>
#include <set>

#include "learned/core/optimiser.hpp"
#include "tests/support/relit_models.hpp"

namespace logdepth::relit_training_tests {
namespace {

using namespace learned_tests;

constexpr double kRounding = 1e-10;

/// What the descents of one batch were: losses and gradients. Nothing moves.
struct Descents {
  std::vector<double> losses;
  std::vector<Tensor> gradients;
  std::vector<std::size_t> nodes;  ///< of the graphs
  Learned learned;
};

std::size_t graph_nodes(const Tensor& loss) {
  std::set<torch::autograd::Node*> seen;
  std::vector<torch::autograd::Node*> open = {loss.grad_fn().get()};
  while (!open.empty()) {
    torch::autograd::Node* const node = open.back();
    open.pop_back();
    if (!node || !seen.insert(node).second) continue;
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return seen.size();
}

Descents descents(Network& network, const Batch& batch, std::uint64_t step = 0) {
  Descents result;
  const TrainingConfig training;
  network.parameters().gradients().zero_();
  result.learned = network.learn(batch, {training, 1, step, [&](const Tensor& loss) {
                                           result.nodes.push_back(graph_nodes(loss));
                                           result.losses.push_back(loss.item<double>());
                                           loss.backward();
                                           Tensor& g = network.parameters().gradients();
                                           result.gradients.push_back(g.clone());
                                           g.zero_();
                                         }});
  return result;
}

/// The gradient of a loss that is written out, as one vector.
Tensor gradient_of(const Tensor& loss, Network& network) {
  Tensor& g = network.parameters().gradients();
  g.zero_();
  loss.backward();
  const Tensor result = g.clone();
  g.zero_();
  return result;
}

/// z begins without noise, so that what is written out begins alike.
RelitSettings without_noise() {
  RelitSettings settings = small_relit();
  settings.z_start = RelitSettings::ZStart::from_x;
  return settings;
}

TEST(RelitTraining, TheGradientOfAMacroStepIsThatOfItsLastRecursion) {
  RelitSettings settings = without_noise();
  settings.recursions = 3;
  const auto network = relit_network(settings);
  const Batch batch = prompts(4);
  const Descents found = descents(*network, batch);
  ASSERT_EQ(found.losses.size(), 3U);
  const WrittenOut written(*network, batch);
  torch::manual_seed(3);
  Tensor& values = network->parameters().values();
  const Tensor at = values.clone();
  auto state = written.begin();
  for (std::size_t step = 0; step < 3; ++step) {
    const torch::NoGradGuard no_grad;
    state = written.recursions(state, 2);
    const auto before = state;
    const auto loss = [&] {
      return written.losses(written.recursion(before.first, before.second).first)
          .mean()
          .item<double>();
    };
    EXPECT_NEAR(found.losses[step], loss(), kRounding);
    for (int i = 0; i < 4; ++i) {
      const Tensor direction = torch::randn_like(values);
      const double h = 1e-5;
      // By Richardson's extrapolation of central differences.
      const auto slope = [&](double width) {
        values.copy_(at + width * direction);
        const double above = loss();
        values.copy_(at - width * direction);
        const double below = loss();
        values.copy_(at);
        return (above - below) / (2 * width);
      };
      const double expected = (4 * slope(h) - slope(2 * h)) / 3;
      EXPECT_NEAR(found.gradients[step].dot(direction).item<double>(), expected,
                  1e-6 * std::abs(expected));
    }
    state = written.recursion(before.first, before.second);
  }
}

TEST(RelitTraining, RecallKeepsNoGraph) {
  const Batch batch = prompts(4);
  const auto nodes = [&](std::uint32_t recursions, bool through_time) {
    RelitSettings settings = small_relit();
    settings.recursions = recursions;
    settings.through_time = through_time;
    return descents(*relit_network(settings), batch).nodes;
  };
  const std::vector<std::size_t> few = nodes(1, false), many = nodes(7, false);
  EXPECT_EQ(few, many);
  EXPECT_EQ(few, std::vector<std::size_t>(3, few[0]));
  EXPECT_GT(nodes(7, true).at(0), 5 * nodes(1, true).at(0));
}

TEST(RelitTraining, ThroughTimeTheGradientPassesEverything) {
  RelitSettings settings = without_noise();
  settings.through_time = true;
  for (const bool deep : {true, false}) {
    settings.deep_supervision = deep;
    const auto network = relit_network(settings);
    const Batch batch = prompts(4);
    const Descents found = descents(*network, batch);
    ASSERT_EQ(found.losses.size(), 1U);
    const WrittenOut written(*network, batch);
    auto state = written.begin();
    Tensor sum = torch::zeros({}, torch::kFloat64);
    for (int step = 1; step <= 3; ++step) {
      state = written.recursions(state, 2);
      if (deep || step == 3) sum = sum + written.losses(state.first).mean();
    }
    const Tensor loss = deep ? sum / 3 : sum;
    EXPECT_NEAR(found.losses[0], loss.item<double>(), kRounding);
    EXPECT_LT(largest_difference(found.gradients[0], gradient_of(loss, *network)), kRounding);
  }
}

TEST(RelitTraining, WithoutDeepSupervisionThereIsOneDescentAfterTheLastMacroStep) {
  RelitSettings settings = without_noise();
  settings.deep_supervision = false;
  const auto network = relit_network(settings);
  const Batch batch = prompts(4);
  const Descents found = descents(*network, batch);
  ASSERT_EQ(found.losses.size(), 1U);
  const WrittenOut written(*network, batch);
  auto state = written.recursions(written.begin(), 5);
  state = written.recursion(state.first.detach(), state.second.detach());
  const Tensor loss = written.losses(state.first).mean();
  EXPECT_NEAR(found.losses[0], loss.item<double>(), kRounding);
  EXPECT_LT(largest_difference(found.gradients[0], gradient_of(loss, *network)), kRounding);
}

TEST(RelitTraining, EveryMacroStepDescendsWithTheNumbersThatTheOneBeforeLeft) {
  const RelitSettings settings = without_noise();
  const auto network = relit_network(settings);
  const Batch batch = prompts(4);
  const WrittenOut written(*network, batch);
  const Tensor at = network->parameters().values().clone();
  auto state = written.begin();
  const TrainingConfig training;
  std::size_t steps = 0;
  network->learn(batch, {training, 1, 0, [&](const Tensor& loss) {
                           const torch::NoGradGuard no_grad;
                           state = written.recursions(state, 2);
                           EXPECT_NEAR(loss.item<double>(),
                                       written.losses(state.first).mean().item<double>(),
                                       kRounding);
                           torch::manual_seed(static_cast<std::uint64_t>(++steps));
                           network->parameters().values().add_(torch::randn_like(at), 0.05);
                         }});
  EXPECT_EQ(steps, 3U);
}

/// A network some of whose samples halt after macro step 2 and some after 3.
std::unique_ptr<RelitNetwork> halting_network(bool through_time) {
  RelitSettings settings = without_noise();
  settings.halting = true;
  settings.macro_steps = 4;
  settings.through_time = through_time;
  auto network = relit_network(settings);
  const torch::NoGradGuard no_grad;
  torch::manual_seed(4);
  parameter(*network, "halting.weight").copy_(torch::randn({1, 8}, torch::kFloat64));
  parameter(*network, "halting.bias").fill_(-0.3);
  return network;
}

TEST(RelitTraining, HaltedSamplesWeighNothingFromTheNextMacroStepOn) {
  for (const bool through_time : {false, true}) {
    const auto network = halting_network(through_time);
    const Batch batch = prompts(12);
    const Descents found = descents(*network, batch);
    const WrittenOut written(*network, batch);
    auto state = written.begin();
    Tensor running = torch::ones({12}, torch::kFloat64), sum, kept, logits;
    std::set<double> counts;
    std::size_t step = 0;
    while (step < 4 && running.sum().item<double>() > 0) {
      counts.insert(running.sum().item<double>());
      ++step;
      if (through_time) {
        state = written.recursions(state, 2);
      } else {
        state = written.recursion(state.first.detach(), state.second.detach());
        state = written.recursion(state.first.detach(), state.second.detach());
      }
      const Tensor each = written.losses(state.first);
      const Tensor loss = (each * running).sum() / 12;
      const Tensor given = written.logits(state.first).detach();
      kept = step == 1 ? each.detach() : torch::where(running > 0, each.detach(), kept);
      logits = step == 1 ? given : torch::where(running.unsqueeze(1) > 0, given, logits);
      if (step >= 2)
        running = running * (written.halting(state.first).detach() <= 0).to(torch::kFloat64);
      if (through_time) {
        sum = sum.defined() ? sum + loss : loss;
        continue;
      }
      ASSERT_GE(found.losses.size(), step);
      EXPECT_NEAR(found.losses[step - 1], loss.item<double>(), kRounding);
      EXPECT_LT(largest_difference(found.gradients[step - 1], gradient_of(loss, *network)),
                kRounding);
    }
    EXPECT_GE(counts.size(), 3U);  // else the numbers were badly chosen
    if (through_time) {
      const Tensor loss = sum / static_cast<double>(step);
      EXPECT_NEAR(found.losses.at(0), loss.item<double>(), kRounding);
      EXPECT_LT(largest_difference(found.gradients.at(0), gradient_of(loss, *network)), kRounding);
    } else {
      EXPECT_EQ(found.losses.size(), step);
    }
    EXPECT_NEAR(found.learned.loss.item<double>(), kept.mean().item<double>(), kRounding);
    EXPECT_LT(largest_difference(found.learned.logits, logits), kRounding);
  }
}

TEST(RelitTraining, ABatchEndsWhenAllOfItHaveHalted) {
  for (const auto& [bias, steps] : {std::pair{9.0, 2U}, {-9.0, 4U}}) {
    const auto network = halting_network(false);
    {
      const torch::NoGradGuard no_grad;
      parameter(*network, "halting.bias").fill_(bias);
    }
    EXPECT_EQ(descents(*network, prompts(5)).losses.size(), steps) << bias;
  }
}

TEST(RelitTraining, ABatchEndsWhenItsLossChangesByLessThanEpsilon) {
  RelitSettings settings = without_noise();
  settings.macro_steps = 5;
  const Batch batch = prompts(4);
  const std::vector<double> losses = descents(*relit_network(settings), batch).losses;
  ASSERT_EQ(losses.size(), 5U);
  const auto steps = [&](double epsilon, std::uint32_t least) {
    settings.loss_epsilon = epsilon;
    settings.least_steps = least;
    return descents(*relit_network(settings), batch).losses.size();
  };
  const double change = std::abs(losses[1] - losses[0]) / std::abs(losses[0]);
  ASSERT_LT(change, 0.9);
  EXPECT_EQ(steps(change * 1.001, 2), 2U);
  EXPECT_EQ(steps(change * 1.001, 1), 2U);
  EXPECT_EQ(steps(0.99, 4), 4U);
  std::size_t expected = 2;
  while (expected < 5 && std::abs(losses[expected - 1] - losses[expected - 2]) >=
                             change * 0.999 * std::abs(losses[expected - 2]))
    ++expected;
  EXPECT_GT(expected, 2U);
  EXPECT_EQ(steps(change * 0.999, 2), expected);
}

TEST(RelitTraining, TheNoiseThatZBeginsWithIsThatOfSeedAndStep) {
  RelitSettings settings = small_relit();
  settings.macro_steps = settings.recursions = settings.latent_steps = 1;
  const auto network = relit_network(settings);
  const Batch batch = prompts(4);
  const double first = descents(*network, batch, 1).losses.at(0);
  EXPECT_EQ(descents(*network, batch, 1).losses.at(0), first);
  EXPECT_NE(descents(*network, batch, 2).losses.at(0), first);
  // Without deviation nothing is random, and the mean is where z begins.
  const torch::NoGradGuard no_grad;
  parameter(*network, "z_start.log_deviation").fill_(-100);
  parameter(*network, "z_start.mean").fill_(0.3);
  const WrittenOut written(*network, batch);
  const Tensor x = written.x();
  const torch::AutoGradMode gradient(true);
  EXPECT_NEAR(
      descents(*network, batch, 3).losses.at(0),
      written.losses(written.recursion(x, torch::full_like(x, 0.3)).first).mean().item<double>(),
      kRounding);
}

TEST(RelitTraining, TheNoiseHasTheLearnedDeviation) {
  RelitSettings settings = small_relit();
  settings.macro_steps = settings.recursions = settings.latent_steps = 1;
  const auto loss_spread = [&](double log_deviation) {
    const auto network = relit_network(settings);
    {
      const torch::NoGradGuard no_grad;
      parameter(*network, "z_start.log_deviation").fill_(log_deviation);
    }
    const Batch batch = prompts(4);
    double sum = 0, squares = 0;
    for (std::uint64_t step = 0; step < 20; ++step) {
      const double loss = descents(*network, batch, step).losses.at(0);
      sum += loss;
      squares += loss * loss;
    }
    return std::sqrt(squares / 20 - sum * sum / 400);
  };
  const double ratio = loss_spread(std::log(2e-3)) / loss_spread(std::log(1e-3));
  EXPECT_NEAR(ratio, 2, 0.1);
}

/// Steps of AdamW on batches of their own.
void train(Network& network, int steps) {
  TrainingConfig training;
  training.learning_rate = 0.01;
  FlatAdamW optimiser(training, network.parameters());
  for (int step = 0; step < steps; ++step)
    network.learn(prompts(6, static_cast<std::uint64_t>(step)),
                  {training, 1, static_cast<std::uint64_t>(step), [&](const Tensor& loss) {
                     loss.backward();
                     optimiser.step(network.parameters(), training.learning_rate);
                   }});
}

TEST(RelitTraining, TheLanguageModelKeepsEveryBit) {
  const TemporaryFolder folder;
  RelitSettings frozen = small_relit();
  frozen.states = RelitSettings::States::last;
  frozen.states_folder = folder.path();
  RelitSettings trainable = frozen, adapted = frozen, halting = frozen;
  trainable.head = RelitSettings::Head::trainable;
  adapted.adapters = 2;
  halting.halting = halting.cross_attention = true;
  for (const RelitSettings& settings : {frozen, trainable, adapted, halting}) {
    const auto network = relit_network(settings);
    const Tensor before = network->backbone().model->parameters().values().clone();
    const std::string print = network->backbone().fingerprint();
    const Tensor own = network->parameters().values().clone();
    train(*network, 3);
    EXPECT_TRUE(torch::equal(network->backbone().model->parameters().values(), before));
    EXPECT_EQ(network->backbone().fingerprint(), print);
    for (const auto& parameter : network->backbone().model->parameters().all()) {
      EXPECT_FALSE(parameter.tensor.requires_grad());
      EXPECT_FALSE(parameter.tensor.grad().defined());
    }
    EXPECT_GT(largest_difference(network->parameters().values(), own), 1e-3);
  }
}

TEST(RelitTraining, TheFingerprintIsThatOfEveryNumber) {
  const Backbone backbone = small_backbone();
  const std::string print = backbone.fingerprint();
  Tensor last = backbone.model->parameters().values();
  last[-1] += 1e-12;
  EXPECT_NE(backbone.fingerprint(), print);
}

TEST(RelitTraining, AdaptersLearnInEveryMacroStepFromTheStatesTheyGive) {
  RelitSettings settings = without_noise();
  settings.states = RelitSettings::States::last;
  settings.adapters = 2;
  const auto network = relit_network(settings);
  const Batch batch = prompts(4);
  const WrittenOut written(*network, batch);
  const Tensor up = parameter(*network, "initial.1.query_key_value.adapter_up");
  {
    const torch::NoGradGuard no_grad;
    up.fill_(0.2);
  }
  auto state = written.begin();
  state = {state.first.detach(), state.second.detach()};
  const TrainingConfig training;
  int steps = 0;
  network->learn(batch,
                 {training, 1, 0, [&](const Tensor& loss) {
                    {
                      const torch::NoGradGuard no_grad;
                      state = written.recursion(state.first, state.second);
                    }
                    const Tensor expected =
                        written.losses(written.recursion(state.first, state.second).first).mean();
                    EXPECT_NEAR(loss.item<double>(), expected.item<double>(), kRounding);
                    const Tensor g = gradient_of(loss, *network);
                    EXPECT_LT(largest_difference(g, gradient_of(expected, *network)), kRounding);
                    const torch::NoGradGuard no_grad;
                    state = written.recursion(state.first, state.second);
                    up.add_(0.1);
                    ++steps;
                  }});
  EXPECT_EQ(steps, 3);
}

}  // namespace
}  // namespace logdepth::relit_training_tests
