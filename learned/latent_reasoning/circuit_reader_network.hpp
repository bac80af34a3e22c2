#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "learned/core/network.hpp"
#include "learned/latent_reasoning/factored_tokens.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_latent_reasoning {

/// A token of one of several states.
struct TokenPlace {
  std::size_t state = 0;
  std::uint32_t token = 0;
};

/// What one layer does at R places; float64, on the CPU.
struct LayerReading {
  torch::Tensor weights;  ///< [R, heads, tokens], attention, 0 beyond the state's end
  torch::Tensor outputs;  ///< [R, heads, width], what each head adds to the state, biases aside
  torch::Tensor attended, after;  ///< [R, width], the state after attention, after the layer
  torch::Tensor inner, hidden, computed;  ///< [R, .], of the feed-forward layer, as in ProbeView
};
struct CircuitReading {
  std::vector<LayerReading> layers;
  torch::Tensor values;  ///< [R, modulus + 2], logits of the value factor
};

/// The inside of a plain stack that reads and answers factored tokens.
class CircuitReader {
 public:
  /// The network must outlive the reader.
  CircuitReader(const Network& network, const ModelConfig& model, const FactorTables& tables);

  /// Places stand in the order of their states.
  CircuitReading operator()(const std::vector<FactoredState>& states,
                            const std::vector<TokenPlace>& places) const;
  /// The sum of W_O W_V over these heads, [width, width], for columns.
  torch::Tensor output_of_values(std::size_t layer, const std::vector<std::uint32_t>& heads) const;
  /// The rows of a factor's table, [rows, width].
  torch::Tensor embedding(Factor factor) const;
  std::size_t layers() const { return layers_; }

 private:
  CircuitReading read_some(const Samples& samples, const std::vector<TokenPlace>& places) const;
  torch::Tensor weight(std::size_t layer, const std::string& name) const;

  const Network& network_;
  FactorTables tables_;
  std::size_t layers_;
  std::int64_t heads_, width_;
  std::map<std::string, torch::Tensor> parameters_;
};

}  // namespace logdepth::inline learned_latent_reasoning
