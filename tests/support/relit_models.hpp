#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "learned/relit/relit_network.hpp"
#include "runtime/file/temporary_folder.hpp"
#include "tests/support/networks.hpp"

namespace logdepth::learned_tests {

constexpr std::uint32_t kVocabulary = 11;

/// A small llama-shaped language model, in double.
inline Backbone small_backbone(std::uint64_t seed = 3) {
  ModelConfig shape;
  shape.initial = 2;
  shape.repeated = 0;
  shape.width = 8;
  shape.heads = 2;
  shape.hidden = 12;
  shape.norm = ModelConfig::NormKind::rmsnorm;
  shape.activation = ModelConfig::Activation::swiglu;
  shape.bias = shape.readout_bias = false;
  shape.positions = ModelConfig::Positions::rotary;
  shape.rotary_base = 100;
  TaskFormat format;
  format.tables = format.outputs = {kVocabulary};
  return {"small.gguf", "small-" + std::to_string(seed), shape,
          std::make_unique<UniversalTransformer>(shape, format, seed, torch::kCPU, torch::kFloat64,
                                                 Purpose::frozen)};
}

/// Prompts answered by one token.
inline TaskFormat prompt_format() {
  TaskFormat format;
  format.tables = format.outputs = {kVocabulary};
  format.readout = TaskFormat::Readout::one_token;
  return format;
}

inline Batch prompts(std::size_t count, std::uint64_t seed = 5) {
  const TaskFormat format = prompt_format();
  return in_double(random_samples(format, count, 6, seed, /*padded=*/true), format);
}

/// Without halting, and with states of the embedding, which need no folder.
inline RelitSettings small_relit() {
  RelitSettings settings;
  settings.backbone = "small.gguf";
  settings.states = RelitSettings::States::embedding;
  settings.macro_steps = 3;
  settings.recursions = 2;
  settings.heads = 2;
  settings.hidden = 10;
  settings.halting = false;
  settings.loss_epsilon = 0;
  return settings;
}

inline std::unique_ptr<RelitNetwork> relit_network(const RelitSettings& settings,
                                                   std::uint64_t seed = 9) {
  return std::make_unique<RelitNetwork>(settings, small_backbone(), prompt_format(), seed,
                                        torch::kCPU, torch::kFloat64);
}

/// The equations of the paper, written out with matrices: shares nothing with the network but its
/// numbers, by name.
class WrittenOut {
 public:
  WrittenOut(const RelitNetwork& network, const Batch& batch)
      : network_(network), batch_(batch), settings_(network.settings()) {}

  Tensor of(const std::string& name) const { return parameter(network_, name); }
  Tensor x() const { return network_.states(batch_, TrainingConfig::Precision::float32); }

  /// (y, z) at the beginning, without noise.
  std::pair<Tensor, Tensor> begin() const {
    const Tensor x = this->x();
    switch (settings_.z_start) {
      case RelitSettings::ZStart::gaussian:
        return {x, torch::zeros_like(x) + of("z_start.mean")};
      case RelitSettings::ZStart::zero:
        return {x, torch::zeros_like(x)};
      case RelitSettings::ZStart::from_x:
        break;
    }
    return {x, x};
  }

  std::pair<Tensor, Tensor> recursion(Tensor y, Tensor z) const {
    const Tensor x = this->x();
    for (std::uint32_t i = 0; i < settings_.latent_steps; ++i) {
      Tensor h = times(torch::cat({x, y, z}, -1), "concatenation.weight") +
                 of("step_embedding")[static_cast<std::int64_t>(i)];
      if (settings_.cross_attention) h = h + cross(h);
      Tensor r = reasoned(h);
      if (settings_.subtract_input) r = r - h;
      z = norm(settings_.replace ? r : z + r, "z_norm.weight");
      if (settings_.y_every_latent) y = answered(y, z);
    }
    if (!settings_.y_every_latent) y = answered(y, z);
    return {y, z};
  }
  std::pair<Tensor, Tensor> recursions(std::pair<Tensor, Tensor> state, std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) state = recursion(state.first, state.second);
    return state;
  }

  /// y at the token that is read, [B, width].
  Tensor read(const Tensor& y) const {
    std::vector<Tensor> rows;
    for (std::int64_t b = 0; b < y.size(0); ++b)
      rows.push_back(y[b][batch_.read[b][0].item<std::int64_t>()]);
    return torch::stack(rows);
  }
  Tensor logits(const Tensor& y) const {
    const Tensor head = settings_.head == RelitSettings::Head::trainable
                            ? of("head.weight")
                            : parameter(*network_.backbone().model, "readout.weight");
    return torch::matmul(read(y), head.t());
  }
  Tensor halting(const Tensor& y) const {
    return (times(read(y), "halting.weight") + of("halting.bias")).squeeze(-1);
  }
  /// The loss of each sample after a macro step.
  Tensor losses(const Tensor& y) const {
    const Tensor given = logits(y);
    std::vector<Tensor> each;
    for (std::int64_t b = 0; b < given.size(0); ++b) {
      const auto target = batch_.targets[b][0].item<std::int64_t>();
      Tensor loss = torch::logsumexp(given[b], 0) - given[b][target];
      if (settings_.halting) {
        const double right = given[b].argmax().item<std::int64_t>() == target ? 1 : 0;
        const Tensor p = torch::sigmoid(halting(y)[b]);
        loss = loss - settings_.halting_weight * (right * p.log() + (1 - right) * (1 - p).log());
      }
      each.push_back(loss);
    }
    return torch::stack(each);
  }

 private:
  Tensor times(const Tensor& x, const std::string& name) const {
    return torch::matmul(x, of(name).t());
  }
  Tensor norm(const Tensor& x, const std::string& name) const {
    return x /
           torch::sqrt((x * x).sum(-1, true) / x.size(-1) +
                       network_.backbone().shape.norm_epsilon) *
           of(name);
  }
  Tensor answered(const Tensor& y, const Tensor& z) const {
    Tensor change = times(torch::cat({y, z}, -1), "answer.weight");
    if (settings_.update_y == RelitSettings::UpdateY::block) change = reasoned(change);
    return norm(y + change, "y_norm.weight");
  }

  /// Channels c and c + w/2 of a head's row [L, w] turn by position / base^(2c/w).
  Tensor turned(const Tensor& x) const {
    const std::int64_t half = x.size(1) / 2;
    std::vector<Tensor> rows;
    for (std::int64_t p = 0; p < x.size(0); ++p) {
      std::vector<Tensor> low, high;
      for (std::int64_t c = 0; c < half; ++c) {
        const double angle =
            static_cast<double>(p) / std::pow(network_.backbone().shape.rotary_base,
                                              static_cast<double>(c) / static_cast<double>(half));
        low.push_back(x[p][c] * std::cos(angle) - x[p][c + half] * std::sin(angle));
        high.push_back(x[p][c] * std::sin(angle) + x[p][c + half] * std::cos(angle));
      }
      low.insert(low.end(), high.begin(), high.end());
      rows.push_back(torch::stack(low));
    }
    return torch::stack(rows);
  }
  /// Causal attention, sample by sample, head by head, row by row. [B, L, width] each.
  Tensor attended(const Tensor& queries, const Tensor& keys, const Tensor& values) const {
    const std::int64_t heads = settings_.heads, w = queries.size(-1) / heads;
    std::vector<Tensor> samples;
    for (std::int64_t b = 0; b < queries.size(0); ++b) {
      std::vector<Tensor> found;
      for (std::int64_t h = 0; h < heads; ++h) {
        const auto head = [&](const Tensor& all) { return all[b].narrow(1, h * w, w); };
        const Tensor q = turned(head(queries)), k = turned(head(keys)), v = head(values);
        std::vector<Tensor> rows;
        for (std::int64_t i = 0; i < q.size(0); ++i) {
          const Tensor scores = torch::mv(k.narrow(0, 0, i + 1), q[i]) / std::sqrt(w);
          rows.push_back(torch::mv(v.narrow(0, 0, i + 1).t(), torch::softmax(scores, 0)));
        }
        found.push_back(torch::stack(rows));
      }
      samples.push_back(torch::cat(found, -1));
    }
    return torch::stack(samples);
  }
  Tensor cross(const Tensor& h) const {
    const Tensor prompt =
        norm(torch::embedding(parameter(*network_.backbone().model, "embedding.0"),
                              batch_.indices.select(-1, 0)),
             "cross.prompt_norm.weight");
    const auto parts = times(prompt, "cross.key_value.weight").chunk(2, -1);
    return times(
        attended(times(norm(h, "cross.norm.weight"), "cross.query.weight"), parts[0], parts[1]),
        "cross.output.weight");
  }
  Tensor reasoned(Tensor h) const {
    for (std::uint32_t layer = 0; layer < settings_.layers; ++layer) {
      const std::string name = "block." + std::to_string(layer) + ".";
      const auto parts =
          times(norm(h, name + "attention_norm.weight"), name + "query_key_value.weight")
              .chunk(3, -1);
      h = h + times(attended(parts[0], parts[1], parts[2]), name + "output.weight");
      const auto inner =
          times(norm(h, name + "feed_forward_norm.weight"), name + "in.weight").chunk(2, -1);
      h = h + times(inner[0] * torch::sigmoid(inner[0]) * inner[1], name + "out.weight");
    }
    return h;
  }

  const RelitNetwork& network_;
  const Batch& batch_;
  const RelitSettings& settings_;
};

}  // namespace logdepth::learned_tests
