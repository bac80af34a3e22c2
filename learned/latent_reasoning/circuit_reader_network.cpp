#include "learned/latent_reasoning/circuit_reader_network.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "learned/core/batch.hpp"
#include "learned/core/tensor_files.hpp"

namespace logdepth::inline learned_latent_reasoning {
namespace {

/// Scores of one layer that are held at once.
constexpr std::size_t kMostScores = std::size_t{1} << 23;

Tensor exact(const Tensor& x) {
  return x.detach().to(torch::kCPU, torch::kFloat64);
}

CircuitReading joined_readings(const std::vector<CircuitReading>& parts) {
  if (parts.size() == 1) return parts.front();
  const auto together = [&](auto tensor_of) {
    std::vector<Tensor> tensors;
    for (const CircuitReading& part : parts) tensors.push_back(tensor_of(part));
    return torch::cat(tensors);
  };
  CircuitReading all;
  all.values = together([](const CircuitReading& part) { return part.values; });
  for (std::size_t layer = 0; layer < parts.front().layers.size(); ++layer) {
    const auto member = [&](Tensor LayerReading::*which) {
      return together([&](const CircuitReading& part) { return part.layers[layer].*which; });
    };
    all.layers.push_back({member(&LayerReading::weights), member(&LayerReading::outputs),
                          member(&LayerReading::attended), member(&LayerReading::after),
                          member(&LayerReading::inner), member(&LayerReading::hidden),
                          member(&LayerReading::computed)});
  }
  return all;
}

}  // namespace

CircuitReader::CircuitReader(const Network& network, const ModelConfig& model,
                             const FactorTables& tables)
    : network_(network),
      tables_(tables),
      layers_(model.initial),
      heads_(model.heads),
      width_(model.width),
      parameters_(named_tensors(network.parameters())) {}

Tensor CircuitReader::weight(std::size_t layer, const std::string& name) const {
  return parameters_.at(fmt::format("initial.{}.{}.weight", layer, name)).detach();
}

Tensor CircuitReader::embedding(Factor factor) const {
  return exact(parameters_.at(fmt::format("embedding.{}", static_cast<int>(factor))));
}

Tensor CircuitReader::output_of_values(std::size_t layer,
                                       const std::vector<std::uint32_t>& heads) const {
  const std::int64_t head_width = width_ / heads_;
  const Tensor value = exact(weight(layer, "query_key_value")).narrow(0, 2 * width_, width_);
  const Tensor output = exact(weight(layer, "output"));
  Tensor sum = torch::zeros({width_, width_}, torch::kFloat64);
  for (const std::uint32_t head : heads)
    sum += torch::matmul(output.narrow(1, head * head_width, head_width),
                         value.narrow(0, head * head_width, head_width));
  return sum;
}

CircuitReading CircuitReader::read_some(const Samples& samples,
                                        const std::vector<TokenPlace>& places) const {
  std::vector<std::int64_t> of_states, of_tokens;
  for (const TokenPlace& place : places) {
    of_states.push_back(static_cast<std::int64_t>(place.state));
    of_tokens.push_back(place.token);
  }
  const Tensor states = torch::tensor(of_states).to(network_.device());
  const Tensor tokens = torch::tensor(of_tokens).to(network_.device());
  const auto rows = [&](const Tensor& x) { return x.index({states, tokens}); };  // x [B, L, ...]

  CircuitReading reading;
  const Probe probe = [&](const ProbeView& view) {
    LayerReading layer;
    const Tensor weights = rows(view.weights.transpose(1, 2));  // [R, heads, L]
    const Tensor read = torch::matmul(weights.unsqueeze(2), view.values.index_select(0, states));
    const Tensor output =
        weight(reading.layers.size(), "output").view({width_, heads_, width_ / heads_});
    layer.weights = exact(weights);
    layer.outputs = exact(torch::einsum("rhc,ohc->rho", {read.squeeze(2), output}));
    layer.attended = exact(rows(view.attended));
    layer.after = exact(rows(view.after));
    layer.inner = exact(rows(view.inner));
    layer.hidden = exact(rows(view.hidden));
    layer.computed = exact(rows(view.computed));
    reading.layers.push_back(std::move(layer));
  };
  PassOptions options;
  options.probe = &probe;
  const torch::NoGradGuard no_grad;
  const Batch batch = to_batch(samples, network_.format(), network_.device(), network_.type());
  const std::int64_t classes = tables_.rows()[kValueFactor];  // the last head of answers
  const Tensor logits = rows(network_(batch, options));
  reading.values = exact(logits.narrow(-1, logits.size(-1) - classes, classes));
  return reading;
}

CircuitReading CircuitReader::operator()(const std::vector<FactoredState>& states,
                                         const std::vector<TokenPlace>& places) const {
  std::size_t longest = 0;
  for (const FactoredState& state : states) longest = std::max(longest, state.size());
  const std::size_t most = std::max<std::size_t>(
      1, kMostScores / (static_cast<std::size_t>(heads_) * longest * longest));
  std::vector<CircuitReading> parts;
  auto place = places.begin();
  for (std::size_t first = 0; first < states.size(); first += most) {
    const std::size_t last = std::min(first + most, states.size());
    Samples samples = factored_samples(tables_, last - first, longest);
    for (std::size_t i = first; i < last; ++i) put_state(samples, i - first, states[i]);
    std::vector<TokenPlace> here;
    for (; place != places.end() && place->state < last; ++place)
      here.push_back({place->state - first, place->token});
    if (!here.empty()) parts.push_back(read_some(samples, here));
  }
  return joined_readings(parts);
}

}  // namespace logdepth::inline learned_latent_reasoning
