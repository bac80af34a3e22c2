#include "library/exports/transformer_lens.hpp"

#include <fmt/core.h>

namespace logdepth::exports {
namespace {

[[noreturn]] void refuse(const std::string& sentence) {
  throw ExportRefused("TransformerLens does not support " + sentence + "; use --to torch");
}

void require_folded(const NetworkNorm& norm, std::size_t layer, const char* sublayer) {
  if (!norm.folded)
    refuse(fmt::format("the norm before the {} of layer {}, whose scale depends on the input",
                       sublayer, layer + 1));
}

}  // namespace

void require_transformer_lens(const Model& model, const ExportSettings& settings) {
  if (!std::holds_alternative<WordInput>(model.input))
    refuse(std::holds_alternative<GraphInput>(model.input) ? "the input, a graph"
                                                           : "the input, raw streams");
  if (settings.attention == ExportAttention::hard) refuse("averaging-hard attention");
}

void require_transformer_lens(const Network& network) {
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const NetworkLayer& layer = network.layers[l];
    for (std::size_t k = 0; k < layer.heads.size(); ++k)
      if (!layer.heads[k].causal) refuse(head_place(network, l, k) + ", which is not causal");
    if (!layer.heads.empty()) require_folded(layer.attention, l, "attention");
    if (layer.in.rows > 0) require_folded(layer.feedforward, l, "feed-forward");
  }
}

}  // namespace logdepth::exports
