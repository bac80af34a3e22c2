// The probes of latent reasoning on a network whose circuit is known, because its weights are set
// by hand, and on the same network broken in one place.
#include "learned/latent_reasoning/circuit_probes.hpp"

#include <gtest/gtest.h>
#include <torch/autograd.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "learned/core/universal_transformer.hpp"
#include "learned/latent_reasoning/circuit_probes_network.hpp"
#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/presets.hpp"
#include "logdepth/errors.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::circuit_probes_tests {
namespace {

using learned_tests::parameter;
using Heads = std::vector<std::uint32_t>;

constexpr std::uint32_t kModulus = 5, kNames = 9;
constexpr double kNear = 1e-9;

// Channels of the state: the four factors, one channel a row, and what the heads write.
constexpr int kSyntax = 0, kVariable = 6, kOperation = 16, kValue = 20, kFirstName = 27,
              kSecondName = 36, kFirstValue = 45, kSecondValue = 50, kSum = 55, kOwnName = 60,
              kSyntaxSeen = 69, kWidth = 76, kHeads = 4, kHeadWidth = kWidth / kHeads;
/// By how much heads of the two layers stretch what they copy.
constexpr double kNameCopied = 0.25, kValueCopied = 0.3;

RunConfig run_config() {
  RunConfig config;
  LatentStepsConfig task;
  task.graphs.modulus = kModulus;
  task.graphs.names = kNames;
  task.graphs.operand_weights = {0, 1};
  task.supervised = ValueSupervision::definition_only;
  task.most_nodes = 7;
  task.test_nodes = {kNames};
  config.task = task;
  ModelConfig& model = config.model;
  model.initial = 2;
  model.repeated = 0;
  model.width = kWidth;
  model.heads = kHeads;
  model.hidden = kModulus * kModulus;
  model.norm = ModelConfig::NormKind::rmsnorm;
  model.activation = ModelConfig::Activation::relu;
  model.bias = false;
  model.positions = ModelConfig::Positions::relative;
  model.max_distance = 8;
  model.final_norm = false;
  return config;
}

/// Layer 1 at the sum: head 0 copies the name four tokens before (operand 0), head 1 the one two
/// tokens before (operand 1), head 3 the sum's own name; head 2 averages the syntax of all tokens.
/// Layer 2: heads 0 and 1 look for the token of that name which has a value, and copy the value; an
/// exact table of a + b modulo 5 in the feed-forward layer.
class HandSet {
 public:
  HandSet()
      : network_(run_config().model, factored_format({kModulus, kNames}), 1, torch::kCPU,
                 torch::kFloat64) {
    const torch::NoGradGuard no_grad;
    for (const auto& one : network_.parameters().all())
      if (one.name.find("norm") == std::string::npos) Tensor(one.tensor).zero_();
    embed(0, kSyntax, 6);
    embed(1, kVariable, kNames + 1);
    embed(2, kOperation, 4);
    embed(3, kValue, kModulus + 2);
    at_distance(0, 4);
    at_distance(1, 2);
    at_distance(3, 0);
    for (int k = 0; k < static_cast<int>(kNames); ++k) {
      copy("initial.0", 0, k, kVariable + k, kFirstName + k, kNameCopied);
      copy("initial.0", 1, k, kVariable + k, kSecondName + k, kNameCopied);
      copy("initial.0", 3, k, kVariable + k, kOwnName + k, kNameCopied);
    }
    for (int s = 0; s < 6; ++s) copy("initial.0", 2, s, kSyntax + s, kSyntaxSeen + s, kNameCopied);
    find_value(0, kFirstName, kFirstValue);
    find_value(1, kSecondName, kSecondValue);
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        const int unit = 5 * a + b;
        set("initial.1.in", unit, kFirstValue + a, 1);
        set("initial.1.in", unit, kSecondValue + b, 1);
        set("initial.1.in", unit, kIsVariable, -1.5);  // more than either alone
        set("initial.1.out", kSum + (a + b) % 5, unit, 1);
      }
    for (int v = 0; v < 5; ++v) set("readout", 6 + kNames + 1 + 4 + v, kSum + v, 1);
  }

  void set(const std::string& matrix, std::int64_t row, std::int64_t column, double value) {
    const torch::NoGradGuard no_grad;
    parameter(network_, matrix + ".weight")[row][column] = value;
  }
  CircuitProbes probed() const { return probe_circuits(network_, run_config()); }

  /// The channel that is 1 at tokens of variables, the sum among them.
  static constexpr int kIsVariable = kSyntax + static_cast<int>(TokenSyntax::variable);
  static int query(int head, int channel) { return head * kHeadWidth + channel; }
  static int key(int head, int channel) { return kWidth + query(head, channel); }

 private:
  void embed(int table, int first, std::int64_t rows) {
    Tensor tensor = parameter(network_, "embedding." + std::to_string(table));
    for (std::int64_t row = 0; row < rows; ++row) tensor[row][first + row] = 1;
  }
  void at_distance(int head, int distance) {
    parameter(network_, "initial.0.distance_bias")[head][8 + distance] = 10;
  }
  void copy(const std::string& block, int head, int channel, int from, int to, double factor) {
    set(block + ".query_key_value", 2 * kWidth + query(head, channel), from, 1);
    set(block + ".output", to, query(head, channel), factor);
  }
  void find_value(int head, int name, int to) {
    constexpr double kSharp = 60;
    constexpr int kKnown = static_cast<int>(kNames);
    for (int k = 0; k < static_cast<int>(kNames); ++k) {
      set("initial.1.query_key_value", query(head, k), name + k, kSharp);
      set("initial.1.query_key_value", key(head, k), kVariable + k, 1);
    }
    set("initial.1.query_key_value", query(head, kKnown), kIsVariable, kSharp);
    for (int v = 0; v < 5; ++v) {
      set("initial.1.query_key_value", key(head, kKnown), kValue + v, 1);
      copy("initial.1", head, v, kValue + v, to + v, kValueCopied);
    }
  }

  UniversalTransformer network_;
};

const CircuitProbes& hand_set_probes() {
  static const CircuitProbes kProbes = HandSet().probed();
  return kProbes;
}

double share(const FourierPlace& place, const std::string& frequencies) {
  for (const FourierPlace::Class& one : place.classes)
    if (one.frequencies == frequencies) return one.share;
  ADD_FAILURE() << place.place << " has no class " << frequencies;
  return -1;
}

TEST(CircuitProbes, TheCopyingHeadsStandInTheirGroupsAndOthersDoNot) {
  const CircuitProbes& probes = hand_set_probes();
  ASSERT_EQ(probes.operands, 2u);
  ASSERT_EQ(probes.layers.size(), 2u);
  const LayerCircuit &first = probes.layers[0], &second = probes.layers[1];
  // Six leaves: operand 0 may be any but operand 1, and each output is another unit vector, so that
  // tr Cov / E |out|^2 = 1 - 1/5. The sum may have one of the three names that are left.
  EXPECT_NEAR(first.variance.name[0][0], 0.8, kNear);
  EXPECT_NEAR(first.variance.name[1][1], 0.8, kNear);
  EXPECT_NEAR(first.variance.result[3], 2.0 / 3, kNear);
  for (const std::uint32_t head : {1, 2, 3}) EXPECT_NEAR(first.variance.name[0][head], 0, kNear);
  for (const std::uint32_t head : {0, 1, 2}) EXPECT_NEAR(first.variance.result[head], 0, kNear);
  for (std::uint32_t head = 0; head < 4; ++head)
    for (std::uint32_t operand = 0; operand < 2; ++operand) {
      EXPECT_NEAR(first.variance.value[operand][head], 0, kNear) << "only names are copied here";
      EXPECT_NEAR(second.variance.value[operand][head], head == operand ? 0.8 : 0, kNear);
    }
  const auto heads = [](const std::vector<HeadGroup>& groups) {
    std::vector<std::pair<std::string, Heads>> all;
    for (const HeadGroup& group : groups) all.emplace_back(group.reads, group.heads);
    return all;
  };
  using Expected = std::vector<std::pair<std::string, Heads>>;
  EXPECT_EQ(heads(first.by_name),
            (Expected{{"operand 0", {0}}, {"operand 1", {1}}, {"result", {3}}, {"other", {2}}}));
  EXPECT_EQ(heads(second.by_value),
            (Expected{{"operand 0", {0}}, {"operand 1", {1}}, {"other", {2, 3}}}));
}

TEST(CircuitProbes, AmplificationIsWhatTheWeightsSay) {
  const CircuitProbes& probes = hand_set_probes();
  const auto expect = [](const HeadGroup& group, std::array<double, kFactors> expected) {
    for (std::size_t factor = 0; factor < kFactors; ++factor)
      EXPECT_NEAR(group.amplification[factor], expected[factor], kNear)
          << group.reads << ", factor " << factor;
  };
  // Embeddings are unit vectors, W_O W_V sends those of one factor to unit vectors times a number.
  const LayerCircuit &first = probes.layers[0], &second = probes.layers[1];
  expect(first.by_name[0], {0, kNameCopied, 0, 0});
  expect(first.by_name[1], {0, kNameCopied, 0, 0});
  expect(first.by_name[3], {kNameCopied, 0, 0, 0});
  expect(second.by_value[0], {0, 0, 0, kValueCopied});
  expect(second.by_value[2], {0, 0, 0, 0});
  EXPECT_EQ(first.change, 0) << "its feed-forward layer does nothing";
  EXPECT_GT(second.change, 0.01);
  const CosineSummary cosines = summary_of_cosines(probes);
  EXPECT_NEAR(cosines.between, 0, kNear);
  EXPECT_NEAR(cosines.within[0], 1, kNear);
  EXPECT_NEAR(cosines.within[1], 0, kNear);
}

TEST(CircuitProbes, TheFrequenciesOfAnAdditionByTableAreKnownAtEveryPlace) {
  const CircuitProbes& probes = hand_set_probes();
  ASSERT_EQ(probes.fourier.size(), 4u);
  // Before the activation a function of a and one of b are added.
  EXPECT_NEAR(share(probes.fourier[0], "(0, a)"), 1, kNear);
  // After it one unit is on: each unit is an impulse, whose spectrum is flat.
  EXPECT_NEAR(share(probes.fourier[1], "(0, a)"), 8.0 / 24, kNear);
  EXPECT_NEAR(share(probes.fourier[1], "(a, b)"), 12.0 / 24, kNear);
  EXPECT_NEAR(share(probes.fourier[1], "(a, a)"), 4.0 / 24, kNear);
  EXPECT_NEAR(share(probes.fourier[2], "(a, a)"), 1, kNear);
  EXPECT_NEAR(share(probes.fourier[3], "(a, a)"), 1, kNear);
}

TEST(CircuitProbes, AnExactSumHasEqualFrequenciesOnly) {
  for (const auto& [modulus, operands] : {std::pair{3, 2}, {5, 3}, {7, 1}}) {
    const auto tuples = static_cast<std::int64_t>(std::pow(modulus, operands));
    Tensor table = torch::zeros({tuples, modulus}, torch::kFloat64);
    for (std::int64_t i = 0; i < tuples; ++i) {
      std::int64_t sum = 0;
      for (std::int64_t rest = i; rest > 0; rest /= modulus) sum += rest % modulus;
      table[i][sum % modulus] = 1;
    }
    const FourierPlace place = fourier_place("", table, static_cast<std::uint32_t>(modulus),
                                             static_cast<std::size_t>(operands));
    EXPECT_NEAR(place.classes.back().share, 1, kNear) << modulus << "^" << operands;
    EXPECT_NEAR(place.classes.front().norm, std::sqrt(static_cast<double>(tuples) / modulus),
                kNear);
    for (std::size_t i = 1; i + 1 < place.classes.size(); ++i)
      EXPECT_NEAR(place.classes[i].norm, 0, kNear) << place.classes[i].frequencies;
  }
}

TEST(CircuitProbes, TheSpectrumIsTheSumOfItsDefinitionAndConjugateSymmetric) {
  constexpr std::int64_t p = 5;
  torch::manual_seed(3);
  const Tensor table = torch::randn({p * p * p, 2}, torch::kFloat64);
  const Tensor transformed = spectrum(table, p, 3);
  const auto at = [&](std::int64_t j, std::int64_t k, std::int64_t l, std::int64_t channel) {
    const Tensor x = torch::view_as_real(transformed)[j][k][l][channel];
    return std::complex<double>(x[0].item<double>(), x[1].item<double>());
  };
  const auto summed = [&](std::int64_t j, std::int64_t k, std::int64_t l, std::int64_t channel) {
    std::complex<double> sum = 0;
    for (std::int64_t a = 0; a < p; ++a)
      for (std::int64_t b = 0; b < p; ++b)
        for (std::int64_t c = 0; c < p; ++c)
          sum += table[(a * p + b) * p + c][channel].item<double>() *
                 std::polar(1.0,
                            -2 * std::numbers::pi * static_cast<double>(a * j + b * k + c * l) / p);
    return sum / std::sqrt(static_cast<double>(p * p * p));
  };
  for (std::int64_t j = 0; j < p; ++j)
    for (std::int64_t k = 0; k < p; ++k)
      for (std::int64_t l = 0; l < p; ++l)
        EXPECT_LT(
            std::abs(at(j, k, l, 1) - std::conj(at((p - j) % p, (p - k) % p, (p - l) % p, 1))),
            kNear);
  EXPECT_LT(std::abs(at(1, 2, 4, 0) - summed(1, 2, 4, 0)), kNear);
  EXPECT_LT(std::abs(at(0, 3, 3, 1) - summed(0, 3, 3, 1)), kNear);
}

TEST(CircuitProbes, ErrorsAreFoundWhereTheNetworkIsBroken) {
  const ErrorSources& whole = hand_set_probes().errors;
  EXPECT_EQ(whole.equations, 700u) << "nine nodes, two of them leaves, a hundred graphs";
  EXPECT_EQ(whole.wrong, 0u);

  HandSet blind;  // head 0 of layer 1 looks away from x_3
  blind.set("initial.0.query_key_value", HandSet::query(0, 0), HandSet::kIsVariable, 1);
  blind.set("initial.0.query_key_value", HandSet::key(0, 0), kVariable + 3, -100);
  const ErrorSources unseen = blind.probed().errors;
  EXPECT_GT(unseen.wrong, 10u);
  EXPECT_LT(unseen.wrong, 200u) << "only sums that begin with x_3";
  EXPECT_EQ(unseen.first_attention, unseen.wrong);

  HandSet forgetful;  // head 0 of layer 2 does not find x_3
  forgetful.set("initial.1.query_key_value", HandSet::key(0, 3), kVariable + 3, 0);
  const ErrorSources lost = forgetful.probed().errors;
  EXPECT_GT(lost.wrong, 10u);
  EXPECT_LT(lost.wrong, 200u);
  EXPECT_EQ(lost.copy, lost.wrong);

  HandSet miscounting;  // 1 + 2 = 4
  miscounting.set("initial.1.out", kSum + 3, 5 * 1 + 2, 0);
  miscounting.set("initial.1.out", kSum + 4, 5 * 1 + 2, 1);
  const CircuitProbes probes = miscounting.probed();
  EXPECT_GT(probes.errors.wrong, 5u);
  EXPECT_EQ(probes.errors.calculation, probes.errors.wrong);
  EXPECT_LT(share(probes.fourier[2], "(a, a)"), 0.99) << "and its table is no sum any more";
}

TEST(CircuitProbes, AnUntrainedNetworkGivesNumbers) {
  for (const LatentMethod method : {LatentMethod::discrete, LatentMethod::corrected}) {
    RunConfig config = latent_reasoning(method, /*paper_size=*/false);
    config.task.as<LatentStepsConfig>().test_nodes = {8};
    const UniversalTransformer network(config.model, config.task->make_task(1)->format(), 1);
    const CircuitProbes probes = probe_circuits(network, config);
    EXPECT_EQ(probes.layers.size(), config.model.initial);
    for (const LayerCircuit& layer : probes.layers) {
      EXPECT_TRUE(std::isfinite(layer.change));
      for (const auto& row : layer.variance.name)
        for (const double share : row) EXPECT_TRUE(share >= 0 && share <= 1) << share;
      std::size_t heads = 0;
      for (const HeadGroup& group : layer.by_name) heads += group.heads.size();
      EXPECT_EQ(heads, config.model.heads) << "every head is in one group";
    }
    const ErrorSources& errors = probes.errors;
    EXPECT_GT(errors.wrong, errors.equations / 3) << "three values, and the one for empty";
    EXPECT_EQ(errors.first_attention + errors.copy + errors.calculation + errors.not_judged,
              errors.wrong);
  }
}

TEST(CircuitProbes, NetworksThatCannotBeProbedAreRefused) {
  const auto refused = [](const RunConfig& config, const std::string& expected) {
    try {
      const UniversalTransformer network(config.model, config.task->make_task(1)->format(), 1);
      probe_circuits(network, config);
      ADD_FAILURE() << "not refused: " << expected;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  };
  refused(latent_reasoning(LatentMethod::continuous, false), "config.task.kind");
  RunConfig looped = latent_reasoning(LatentMethod::discrete, false);
  looped.model.initial = 0;
  looped.model.repeated = 2;
  refused(looped, "config.model: expected a plain stack");
  RunConfig many = latent_reasoning(LatentMethod::discrete, false);
  many.task.as<LatentStepsConfig>().graphs.modulus = 997;
  refused(many, "config.task.modulus");
  RunConfig few = latent_reasoning(LatentMethod::discrete, false);
  few.task.as<LatentStepsConfig>().graphs.names = 4;
  few.task.as<LatentStepsConfig>().most_nodes = 4;
  few.task.as<LatentStepsConfig>().test_nodes = {4};
  refused(few, "config.task.names");
}

}  // namespace
}  // namespace logdepth::circuit_probes_tests
