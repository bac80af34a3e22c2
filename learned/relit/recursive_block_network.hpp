#pragma once

#include <optional>
#include <vector>

#include "learned/core/block.hpp"
#include "learned/relit/relit_settings.hpp"

namespace logdepth::inline learned_relit {

/// The states that a recursion turns into new ones, [B, L, width] each.
struct ReasoningStates {
  Tensor y;  ///< the answer
  Tensor z;  ///< the scratchpad

  ReasoningStates detached() const { return {y.detach(), z.detach()}; }
};

/// What stays the same from recursion to recursion, as long as no number of the block changes.
struct Anchor {
  Tensor product;       ///< of x with its part of W_c
  Tensor keys, values;  ///< of the prompt's embeddings, [B, heads, L, w]; undefined without them
  AttentionMask mask;
  TrainingConfig::Precision precision = TrainingConfig::Precision::float32;

  Anchor detached() const;
  /// That of some of the samples.
  Anchor of(const Tensor& rows) const;
};

/// F of the paper: (y, z) to the states after one recursion. With the defaults of RelitSettings,
///
///   latent_steps times: h = W_c [x; y; z] + e_step;  z = norm_z(z + R(h))
///   y = norm_y(y + W_y [y; z])
///
/// W_c [x; y; z] is computed as the sum of three products: that of x serves all recursions between
/// two steps of the optimiser, that of y a recursion. R has causal attention and the language
/// model's rotary positions. With cross-attention h is increased, in every latent step, by what it
/// finds in the prompt's embeddings: those hold all of the prompt, x what the language model made
/// of it.
class RecursiveBlock {
 public:
  /// Errors: InputError where `heads` does not divide the width into heads of even width.
  RecursiveBlock(Parameters& parameters, const RelitSettings& settings,
                 const ModelConfig& backbone);

  /// `embeddings` are read by cross-attention only.
  Anchor anchor(const Tensor& x, const Tensor& embeddings, const Tensor& lengths,
                TrainingConfig::Precision precision) const;
  /// y = x; z as RelitSettings::z_start says, `noise` [B, L, width] being normal numbers, undefined
  /// where the mean is taken.
  ReasoningStates begin(const Tensor& x, const Tensor& noise) const;
  ReasoningStates operator()(ReasoningStates states, const Anchor& anchor) const;

  bool cross_attends() const { return cross_.has_value(); }
  /// Whether `begin` reads the noise.
  bool begins_with_noise() const { return z_mean_.defined(); }

 private:
  struct CrossAttention {
    ChannelNorm norm, prompt_norm;
    Linear query, key_value, output;
  };
  ModelConfig shape_of(const RelitSettings& settings, const ModelConfig& backbone) const;
  Tensor through(Tensor h, const Anchor& anchor) const;
  Tensor found(const Tensor& h, const Anchor& anchor) const;
  Tensor next_y(const Tensor& y, const Tensor& z, const Anchor& anchor) const;
  /// [B, L, width] as [B, heads, L, w].
  Tensor by_head(const Tensor& x) const;

  RelitSettings settings_;
  ModelConfig shape_;
  Rotary rotary_;
  Tensor concatenation_;   ///< W_c, [width, 3 width]: columns of x, of y, of z
  Tensor answer_;          ///< W_y, [width, 2 width]: columns of y, of z
  Tensor step_embedding_;  ///< [latent steps, width]
  std::vector<TransformerBlock> blocks_;
  ChannelNorm z_norm_, y_norm_;
  Tensor z_mean_, z_log_deviation_;  ///< [width], of ZStart::gaussian
  std::optional<CrossAttention> cross_;
};

}  // namespace logdepth::inline learned_relit
