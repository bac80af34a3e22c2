#pragma once

#include <memory>
#include <vector>

#include "learned/core/network.hpp"
#include "runtime/file/model.hpp"
#include "runtime/stream/tokens.hpp"

namespace logdepth { inline namespace learned_core {

/// The layers of a weights file in libtorch: masked pre-norm, averaging-hard attention (or
/// softmax), ReLU without bias (runtime/README.md, "The model"). Its rational numbers are rounded
/// to the type of the parameters.
class ConstructedLayers {
 public:
  ConstructedLayers(Parameters& parameters, const Model& model, const ConstructedConfig& config);

  /// Streams [B, tokens, width] through the file's layers, its repeated block `loops` times.
  Tensor operator()(Tensor streams, std::uint32_t loops) const;
  /// [B, tokens, rows of the unembedding].
  Tensor logits(const Tensor& streams) const;

 private:
  struct Head {
    bool causal = true;
    Tensor query, key, value, output;  ///< as in the file, dense
  };
  struct Layer {
    Block block = Block::repeated;
    Tensor attention_mask, feed_forward_mask;  ///< [width], fixed
    std::vector<Head> heads;
    Tensor in, out;  ///< undefined without units
  };
  Tensor normed(const Tensor& streams, const Tensor& mask) const;
  Tensor attend(const Head& head, const Tensor& z) const;
  Tensor one_layer(const Layer& layer, Tensor h) const;

  ConstructedConfig config_;
  Norm norm_;
  std::vector<Layer> layers_;
  Tensor unembedding_;
};

/// The stream that a weights file starts from, computed exactly and rounded once: [1, tokens,
/// width] in double. Errors: as `embed`; InputError where the file refuses the input.
Tensor initial_stream(const Model& model, const Tokens& tokens);

/// A weights file that reads prefix products, as a network that is asked for them word by word: the
/// logit of an element is the sum over the points of log softmax of the logits of their images.
/// Errors: InputError naming the file where it is not one of words, reads no prefixes, has other
/// letters or elements than are asked for, or is made for shorter words.
std::unique_ptr<Network> make_constructed_network(const ConstructedConfig& config,
                                                  const ProductQuestion& question,
                                                  const TaskFormat& format, torch::Device device);

}}  // namespace logdepth::learned_core
