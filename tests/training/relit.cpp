// A pass of the recursive block: the equations, its options, halting, the linear probe, the
// spectral radius.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "learned/core/network_predictor.hpp"
#include "learned/relit/spectral_radius_network.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/relit_models.hpp"

namespace logdepth::relit_tests {
namespace {

using namespace learned_tests;
using Change = std::function<void(RelitSettings&)>;

constexpr double kRounding = 1e-10;

const std::vector<std::pair<const char*, Change>> kOptions = {
    {"latent steps", [](RelitSettings& s) { s.latent_steps = 3; }},
    {"recursions", [](RelitSettings& s) { s.recursions = 3; }},
    {"layers", [](RelitSettings& s) { s.layers = 2; }},
    {"z begins as zero", [](RelitSettings& s) { s.z_start = RelitSettings::ZStart::zero; }},
    {"z begins as x", [](RelitSettings& s) { s.z_start = RelitSettings::ZStart::from_x; }},
    {"y by the block", [](RelitSettings& s) { s.update_y = RelitSettings::UpdateY::block; }},
    {"y every latent step", [](RelitSettings& s) { s.y_every_latent = true; }},
    {"input subtracted", [](RelitSettings& s) { s.subtract_input = true; }},
    {"replacement", [](RelitSettings& s) { s.replace = true; }},
    {"cross-attention", [](RelitSettings& s) { s.cross_attention = true; }},
    {"hidden", [](RelitSettings& s) { s.hidden = 0; }},
    {"heads", [](RelitSettings& s) { s.heads = 4; }},
};

/// Numbers that are not what they begin as, so that none of them could be left out unnoticed.
void shake(Network& network) {
  const torch::NoGradGuard no_grad;
  torch::manual_seed(1);
  network.parameters().values().add_(torch::randn_like(network.parameters().values()), 0.1);
}

void expect_written_out(const RelitSettings& settings) {
  const auto network = relit_network(settings);
  shake(*network);
  const Batch batch = prompts(4);
  PassTrace trace;
  trace.read_after = {1, 2, 3};
  const Tensor last = (*network)(batch, loops(3), &trace);
  ASSERT_EQ(trace.logits.size(), 3U);
  const WrittenOut expected(*network, batch);
  auto state = expected.begin();
  for (const Tensor& logits : trace.logits) {
    state = expected.recursions(state, settings.recursions);
    EXPECT_LT(largest_difference(logits, expected.logits(state.first)), kRounding);
  }
  EXPECT_TRUE(torch::equal(last, trace.logits.back()));
}

TEST(Relit, APassIsTheEquationsWrittenOutUnderEveryOption) {
  expect_written_out(small_relit());
  for (const auto& [name, change] : kOptions) {
    SCOPED_TRACE(name);
    RelitSettings settings = small_relit();
    change(settings);
    expect_written_out(settings);
  }
}

TEST(Relit, HiddenChannelsAreEightThirdsOfTheWidthRoundedUpTo64) {
  RelitSettings settings = small_relit();
  settings.hidden = 0;
  EXPECT_EQ(parameter(*relit_network(settings), "block.0.out.weight").size(1), 64);
}

TEST(Relit, ATokenAfterTheOneReadChangesNothing) {
  const auto network = relit_network(small_relit());
  Batch batch = prompts(3);
  const Tensor before = (*network)(batch, loops(3));
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t i = batch.read[b][0].item<std::int64_t>() + 1; i < 6; ++i)
      batch.indices[b][i][0] = (batch.indices[b][i][0] + 1) % std::int64_t{kVocabulary};
  EXPECT_LT(largest_difference((*network)(batch, loops(3)), before), kRounding);
}

TEST(Relit, ReadingsAreTheRelativeChangeOfYOverTokensThatAreNoPadding) {
  const auto network = relit_network(small_relit());
  const Batch batch = prompts(4);
  PassTrace trace;
  trace.take_readings = true;
  (*network)(batch, loops(3), &trace);
  ASSERT_EQ(trace.readings.size(), 3U);
  const WrittenOut expected(*network, batch);
  auto state = expected.begin();
  for (const LoopReading& reading : trace.readings) {
    const Tensor before = state.first;
    state = expected.recursions(state, 2);
    double sum = 0, tokens = 0;
    for (std::int64_t b = 0; b < 4; ++b)
      for (std::int64_t i = 0; i < batch.lengths[b].item<std::int64_t>(); ++i, ++tokens)
        sum += ((state.first[b][i] - before[b][i]).norm() / before[b][i].norm()).item<double>();
    EXPECT_NEAR(reading.change, sum / tokens, kRounding);
  }
}

/// A halting head with numbers of its own choice.
std::unique_ptr<RelitNetwork> halting_network(double bias, double weight,
                                              std::uint32_t least_steps = 2) {
  RelitSettings settings = small_relit();
  settings.halting = true;
  settings.macro_steps = 4;
  settings.least_steps = least_steps;
  auto network = relit_network(settings);
  const torch::NoGradGuard no_grad;
  torch::manual_seed(4);
  parameter(*network, "halting.weight").copy_(weight * torch::randn({1, 8}, torch::kFloat64));
  parameter(*network, "halting.bias").fill_(bias);
  return network;
}

TEST(Relit, HaltsAtTheFirstMacroStepFromTheLeastOnWhoseLogitIsPositive) {
  for (const std::uint32_t least : {1U, 2U, 3U}) {
    const auto network = halting_network(-0.3, 1, least);
    const Batch batch = prompts(12);
    PassTrace trace, steps;
    const Tensor answer = (*network)(batch, loops(4), &trace);
    steps.read_after = {1, 2, 3, 4};
    EXPECT_LT(largest_difference((*network)(batch, loops(4), &steps), answer), kRounding);
    EXPECT_TRUE(torch::equal(trace.loops_taken, steps.loops_taken));
    const WrittenOut expected(*network, batch);
    auto state = expected.begin();
    std::vector<std::int64_t> halted(12, 0);
    for (std::uint32_t step = 1; step <= 4; ++step) {
      state = expected.recursions(state, 2);
      const Tensor logit = expected.halting(state.first);
      for (std::size_t b = 0; b < halted.size(); ++b)
        if (halted[b] == 0 &&
            (step == 4 ||
             (step >= least && logit[static_cast<std::int64_t>(b)].item<double>() > 0)))
          halted[b] = step;
    }
    std::set<std::int64_t> seen;
    for (std::size_t b = 0; b < halted.size(); ++b) {
      const auto at = static_cast<std::int64_t>(b);
      EXPECT_EQ(trace.loops_taken[at].item<std::int64_t>(), halted[b]) << b;
      EXPECT_LT(
          largest_difference(answer[at], steps.logits[static_cast<std::size_t>(halted[b] - 1)][at]),
          kRounding);
      seen.insert(halted[b]);
    }
    EXPECT_GT(seen.size(), 1U);  // else the numbers were badly chosen
  }
}

TEST(Relit, APredictorTellsWhereSamplesHalted) {
  const TaskFormat format = prompt_format();
  const Samples samples = random_samples(format, 5, 6, 1, true);
  const auto taken = [&](const Network& network) {
    return predictor_of(network, TrainingConfig::Precision::float32).loops_taken(samples);
  };
  EXPECT_EQ(taken(*halting_network(5, 0)), std::vector<std::uint32_t>(5, 2));
  EXPECT_EQ(taken(*halting_network(-5, 0)), std::vector<std::uint32_t>(5, 4));
  EXPECT_TRUE(taken(*relit_network(small_relit())).empty());
}

TEST(Relit, ATrainableHeadBeginsAsTheLanguageModels) {
  RelitSettings settings = small_relit();
  const Batch batch = prompts(3);
  const Tensor frozen = (*relit_network(settings))(batch, loops(3));
  settings.head = RelitSettings::Head::trainable;
  const auto network = relit_network(settings);
  EXPECT_LT(largest_difference((*network)(batch, loops(3)), frozen), kRounding);
  EXPECT_EQ(parameter(*network, "head.weight").size(0), kVocabulary);
}

TEST(Relit, AdaptersChangeNothingAtTheBeginning) {
  const TemporaryFolder folder;
  RelitSettings settings = small_relit();
  settings.states = RelitSettings::States::last;
  settings.states_folder = folder.path();
  const Batch batch = prompts(3);
  const Tensor kept = (*relit_network(settings))(batch, loops(2));
  settings.adapters = 2;
  const auto network = relit_network(settings);
  EXPECT_LT(largest_difference((*network)(batch, loops(2)), kept), 1e-5);  // kept as floats
  {
    const torch::NoGradGuard no_grad;
    parameter(*network, "initial.0.query_key_value.adapter_up").fill_(1);
  }
  EXPECT_GT(largest_difference((*network)(batch, loops(2)), kept), 1e-3);
}

TEST(Relit, ALinearProbeIsAffineInTheStateOfTheTokenRead) {
  RelitSettings settings = small_relit();
  settings.probe = RelitSettings::Probe::linear;
  Backbone backbone = small_backbone();
  const Tensor table = parameter(*backbone.model, "embedding.0");
  const Tensor head = parameter(*backbone.model, "readout.weight");
  {
    const torch::NoGradGuard no_grad;
    table[3].copy_(0.25 * table[1] + 0.75 * table[2]);
  }
  LinearProbe probe(settings, std::move(backbone), prompt_format(), 1, torch::kCPU,
                    torch::kFloat64);
  shake(probe);
  Batch batch = prompts(4);
  for (std::int64_t b = 0; b < 4; ++b) batch.indices[b][batch.read[b][0].item<std::int64_t>()] = b;
  const Tensor logits = probe(batch, loops(1), nullptr);
  EXPECT_LT(largest_difference(logits[3], 0.25 * logits[1] + 0.75 * logits[2]), kRounding);
  const Tensor map = parameter(probe, "map.weight"), bias = parameter(probe, "map.bias");
  EXPECT_LT(largest_difference(logits[0], torch::mv(head, torch::mv(map, table[0]) + bias)),
            kRounding);
  EXPECT_EQ(probe.loops_of(batch), 1U);
}

TEST(Relit, TheSpectralRadiusOfLinearMapsIsThatOfTheirMatrix) {
  torch::manual_seed(2);
  const Tensor basis = torch::randn({6, 6}, torch::kFloat64);
  const auto radius = [&](const Tensor& eigen) {
    const Tensor matrix = torch::mm(torch::mm(basis, eigen), torch::inverse(basis));
    return spectral_radius([&](const Tensor& v) { return torch::mm(v, matrix.t()); },
                           torch::randn({1, 6}, torch::kFloat64), 400);
  };
  const auto of = [](std::vector<double> values) {
    return torch::diag(torch::tensor(values, torch::kFloat64));
  };
  EXPECT_NEAR(radius(of({0.3, -1.7, 0.9, 0.1, 1.1, 0.2})), 1.7, 1e-6);
  EXPECT_NEAR(radius(of({0.3, 0.5, 0.4, 0.1, 0.1, 0.2})), 0.5, 1e-6);
  Tensor turning = of({0, 0, 0.4, 0.1, 0.1, 0.2});  // a pair of eigenvalues of absolute value 0.9
  turning[0][0] = turning[1][1] = 0.9 * std::cos(1.0);
  turning[0][1] = -0.9 * std::sin(1.0);
  turning[1][0] = 0.9 * std::sin(1.0);
  EXPECT_NEAR(radius(turning), 0.9, 0.01);
  EXPECT_EQ(radius(of({0, 0, 0, 0, 0, 0})), 0);
}

TEST(Relit, TheSpectralRadiusIsTakenAtThePoint) {
  const Tensor point = torch::tensor({0.3, 2.0}, torch::kFloat64);
  EXPECT_NEAR(spectral_radius([](const Tensor& v) { return v * v; }, point, 60), 4, 1e-6);
}

void expect_refusal(const std::function<void()>& make, const std::string& sentence) {
  try {
    make();
    ADD_FAILURE() << "expected: " << sentence;
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

TEST(Relit, RefusesWhatDoesNotFitTheLanguageModel) {
  RelitSettings settings = small_relit();
  for (const std::uint32_t heads : {3U, 8U}) {
    settings.heads = heads;
    expect_refusal([&] { relit_network(settings); },
                   "network.heads: expected heads of an even width in the backbone's 8, found " +
                       std::to_string(heads));
  }
  settings = small_relit();
  TaskFormat format = prompt_format();
  format.tables = format.outputs = {12};
  const auto make = [&] { RelitNetwork(settings, small_backbone(), format, 1); };
  expect_refusal(make, "network.backbone: small.gguf: expected the task's 12 tokens, found 11");
  format.tables = {kVocabulary};
  expect_refusal(make,
                 "network.kind: relit: expected a task with one token to predict after a text");
}

}  // namespace
}  // namespace logdepth::relit_tests
