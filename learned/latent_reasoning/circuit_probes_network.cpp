#include "learned/latent_reasoning/circuit_probes_network.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "learned/latent_reasoning/circuit_reader_network.hpp"
#include "learned/latent_reasoning/error_sources_network.hpp"
#include "learned/latent_reasoning/frequency_classes.hpp"
#include "learned/latent_reasoning/latent_steps_task.hpp"
#include "learned/latent_reasoning/probe_texts.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// Texts of which each thing is changed.
constexpr std::size_t kTexts = 16;
/// Entries of the table over all values.
constexpr double kMostTuples = 1 << 15;
/// Training and measures count their steps from 0.
constexpr std::uint64_t kProbeStep = std::uint64_t{1} << 61;

std::size_t most_operands(const GraphShape& shape) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < shape.operand_weights.size(); ++i)
    if (shape.operand_weights[i] > 0) most = i + 1;
  return most;
}

const LatentStepsConfig& probed_task(const RunConfig& config) {
  const auto* task = config.task.try_as<LatentStepsConfig>();
  if (!task)
    throw InputError(fmt::format(
        "config.task.kind: expected {}, of the methods discrete and corrected, found {}",
        LatentStepsConfig().kind(), config.task->kind()));
  if (config.model.initial < 2 || config.model.repeated > 0 || config.model.final > 0)
    throw InputError(
        "config.model: expected a plain stack, at least 2 layers in initial and none in repeated "
        "and final");
  const std::size_t operands = most_operands(task->graphs);
  if (task->graphs.names < operands + 3)
    throw InputError(
        fmt::format("config.task.names: expected at least {}, so that names in an equation of {} "
                    "operands can be changed, found {}",
                    operands + 3, operands, task->graphs.names));
  if (std::pow(task->graphs.modulus, operands) > kMostTuples)
    throw InputError(fmt::format(
        "config.task.modulus: expected at most {} tuples of values of {} operands, found {}^{}",
        kMostTuples, operands, task->graphs.modulus, operands));
  return *task;
}

/// tr Cov and E |.|^2 of the heads' outputs over texts that differ in one thing, summed.
struct VarianceSum {
  Tensor spread, norm;               ///< [heads]
  void add(const Tensor& outputs) {  // [n, heads, width]
    const Tensor around = (outputs - outputs.mean(0, true)).square().sum(-1).mean(0);
    const Tensor whole = outputs.square().sum(-1).mean(0);
    spread = spread.defined() ? spread + around : around;
    norm = norm.defined() ? norm + whole : whole;
  }
  std::vector<double> relative() const {
    std::vector<double> shares;
    for (std::int64_t head = 0; head < norm.size(0); ++head) {
      const double whole = norm[head].item<double>();
      shares.push_back(whole > 0 ? spread[head].item<double>() / whole : 0);
    }
    return shares;
  }
};

class CircuitProbing {
 public:
  CircuitProbing(const Network& network, const RunConfig& config)
      : task_(probed_task(config)),
        tables_(task_.tables()),
        seed_(config.seed),
        reader_(network, config.model, tables_) {
    probes_.modulus = tables_.modulus;
    probes_.operands = static_cast<std::uint32_t>(most_operands(task_.graphs));
    probes_.texts = kTexts;
    probes_.layers.resize(reader_.layers());
  }

  CircuitProbes run() {
    take_variances();
    take_groups();
    take_cosines();
    take_fourier();
    take_errors();
    return std::move(probes_);
  }

 private:
  /// The network at the sums of these texts.
  CircuitReading read(const std::vector<ProbeText>& texts) const {
    std::vector<FactoredState> states;
    std::vector<TokenPlace> places;
    for (const ProbeText& text : texts) {
      ProbeState probe = probe_state(text, tables_, task_.supervised);
      places.push_back({states.size(), probe.result});
      states.push_back(std::move(probe.state));
    }
    return reader_(states, places);
  }

  void take_variances() {
    const std::size_t operands = probes_.operands, layers = reader_.layers();
    // As many equations as the largest training graphs have, and names left to change the sum's.
    const std::size_t leaves =
        std::clamp<std::size_t>(task_.most_nodes - 1, operands + 1, std::size_t{tables_.names} - 2);
    std::vector<std::vector<VarianceSum>> by_name(layers, std::vector<VarianceSum>(operands));
    auto by_value = by_name;
    std::vector<VarianceSum> by_result(layers);
    value_outputs_.resize(operands);
    const auto add = [layers](const CircuitReading& reading, auto sum_of) {
      for (std::size_t layer = 0; layer < layers; ++layer)
        sum_of(layer).add(reading.layers[layer].outputs);
    };
    for (std::size_t i = 0; i < kTexts; ++i) {
      CounterRandom random(seed_, RandomStream::validation, kProbeStep, i);
      const ProbeText text = draw_probe_text(tables_, leaves, operands, random);
      for (std::size_t operand = 0; operand < operands; ++operand) {
        add(read(with_other_operand(text, operand)),
            [&](std::size_t layer) -> VarianceSum& { return by_name[layer][operand]; });
        const CircuitReading reading = read(with_other_value(text, operand));
        add(reading, [&](std::size_t layer) -> VarianceSum& { return by_value[layer][operand]; });
        const Tensor outputs = reading.layers.back().outputs / static_cast<double>(kTexts);
        Tensor& sum = value_outputs_[operand];
        sum = sum.defined() ? sum + outputs : outputs;
      }
      const CircuitReading reading = read(with_other_result(text, tables_));
      add(reading, [&](std::size_t layer) -> VarianceSum& { return by_result[layer]; });
      for (std::size_t layer = 0; layer < layers; ++layer) {
        const LayerReading& one = reading.layers[layer];
        probes_.layers[layer].change +=
            ((one.after - one.attended).norm(2, -1) / one.attended.norm(2, -1))
                .mean()
                .item<double>() /
            static_cast<double>(kTexts);
      }
    }
    for (std::size_t layer = 0; layer < layers; ++layer) {
      HeadVariance& variance = probes_.layers[layer].variance;
      for (std::size_t operand = 0; operand < operands; ++operand) {
        variance.name.push_back(by_name[layer][operand].relative());
        variance.value.push_back(by_value[layer][operand].relative());
      }
      variance.result = by_result[layer].relative();
    }
  }

  void take_groups() {
    for (std::size_t layer = 0; layer < reader_.layers(); ++layer) {
      LayerCircuit& circuit = probes_.layers[layer];
      auto things = circuit.variance.name;
      things.push_back(circuit.variance.result);
      circuit.by_name = groups(layer, things, {"result"});
      circuit.by_value = groups(layer, circuit.variance.value, {});
    }
  }

  /// `more`: what rows beyond those of the operands are.
  std::vector<HeadGroup> groups(std::size_t layer, const std::vector<std::vector<double>>& variance,
                                const std::vector<std::string>& more) const {
    std::vector<HeadGroup> groups;
    for (const auto& heads : head_groups(variance)) {
      const std::size_t i = groups.size();
      const std::string reads = i < probes_.operands  ? fmt::format("operand {}", i)
                                : i < variance.size() ? more[i - probes_.operands]
                                                      : "other";
      groups.push_back({reads, heads, {}});
      const Tensor map = reader_.output_of_values(layer, heads);
      for (const Factor factor : {kSyntaxFactor, kVariableFactor, kOperationFactor, kValueFactor})
        groups.back().amplification[factor] = amplification(map, factor);
    }
    return groups;
  }

  double amplification(const Tensor& map, Factor factor) const {
    // The rows that mean something come first: before padding, N/A and empty.
    const std::int64_t rows = std::array<std::int64_t, kFactors>{
        static_cast<std::int64_t>(TokenSyntax::padding), tables_.no_variable(),
        FactorTables::kNoOperation, tables_.no_value()}[factor];
    const Tensor x = reader_.embedding(factor).narrow(0, 0, rows);
    const Tensor before = x.norm(2, -1), after = torch::matmul(x, map.t()).norm(2, -1);
    return torch::where(before > 0, after / before, torch::zeros_like(before))
        .mean()
        .item<double>();
  }

  void take_cosines() {
    std::vector<Tensor> values;
    for (std::size_t operand = 0; operand < probes_.operands; ++operand)
      values.push_back(torch::matmul(
          reader_.embedding(kValueFactor),
          reader_
              .output_of_values(reader_.layers() - 1, probes_.layers.back().by_value[operand].heads)
              .t()));
    Tensor all = torch::cat(values);
    const Tensor norms = all.norm(2, -1, true);
    all = torch::where(norms > 0, all / norms, torch::zeros_like(all));
    const Tensor cosines = torch::matmul(all, all.t()).contiguous();
    const std::int64_t side = cosines.size(0);
    for (std::int64_t row = 0; row < side; ++row) {
      const double* const first = cosines.data_ptr<double>() + row * side;
      probes_.cosines.emplace_back(first, first + side);
    }
  }

  void take_fourier() {
    // Few equations, since there are many texts: as many as the smallest training graphs have.
    const std::size_t operands = probes_.operands;
    CounterRandom random(seed_, RandomStream::validation, kProbeStep, kTexts);
    const std::size_t leaves = std::max<std::size_t>(operands, task_.least_nodes - 1);
    const CircuitReading reading =
        read(with_all_values(draw_probe_text(tables_, leaves, operands, random)));
    const LayerReading& layer = reading.layers.back();
    const auto add = [&](const char* place, const Tensor& table) {
      probes_.fourier.push_back(fourier_place(place, table, tables_.modulus, operands));
    };
    add("before the activation", layer.inner);
    add("after the activation", layer.hidden);
    add("feed-forward output", layer.computed);
    add("logits of the value", reading.values);
  }

  void take_errors() {
    ErrorCircuit circuit;
    for (std::size_t operand = 0; operand < probes_.operands; ++operand) {
      circuit.naming.push_back(probes_.layers.front().by_name[operand].heads);
      circuit.copying.push_back(probes_.layers.back().by_value[operand].heads);
    }
    circuit.value_outputs = value_outputs_;
    probes_.errors = error_sources(reader_, task_, circuit, seed_);
  }

  const LatentStepsConfig& task_;
  FactorTables tables_;
  std::uint64_t seed_;
  CircuitReader reader_;
  CircuitProbes probes_;
  std::vector<Tensor> value_outputs_;  ///< as in ErrorCircuit
};

}  // namespace

CircuitProbes probe_circuits(const Network& network, const RunConfig& config) {
  return CircuitProbing(network, config).run();
}

Tensor spectrum(const Tensor& table, std::uint32_t modulus, std::size_t operands) {
  std::vector<std::int64_t> shape(operands, modulus), dimensions;
  for (std::size_t i = 0; i < operands; ++i) dimensions.push_back(static_cast<std::int64_t>(i));
  shape.push_back(table.size(-1));
  return torch::fft_fftn(table.to(torch::kFloat64).reshape(shape), {}, dimensions, "ortho");
}

FourierPlace fourier_place(const std::string& place, const Tensor& table, std::uint32_t modulus,
                           std::size_t operands) {
  const Tensor power =
      torch::real(torch::view_as_real(spectrum(table, modulus, operands)).square().sum(-1))
          .sum(-1)
          .flatten()
          .contiguous();
  const FrequencyClasses classes(modulus, operands);
  FourierPlace result{place, {}};
  for (const std::string& name : classes.names) result.classes.push_back({name, 0, 0, 0});
  for (std::size_t i = 0; i < classes.of.size(); ++i) {
    const double one = power.data_ptr<double>()[i];
    FourierPlace::Class& to = result.classes[classes.of[i]];
    ++to.count;
    to.norm += std::sqrt(one);
    to.share += one;
  }
  const double constant = result.classes.front().share;
  const double whole = power.sum().item<double>();
  for (FourierPlace::Class& one : result.classes) {
    const double of = &one == &result.classes.front() ? whole : whole - constant;
    one.norm /= static_cast<double>(one.count);
    one.share = of > 0 ? one.share / of : 0;
  }
  return result;
}

}  // namespace logdepth::inline learned_latent_reasoning
