#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "learned/core/attention.hpp"
#include "learned/core/parameters.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_core {

/// y = x W^T + b over the last dimension, its product in `precision`; with an adapter
/// y = x (W + U D)^T + b. Of several seeds the result is of that precision too.
class Linear {
 public:
  Linear() = default;
  Linear(Parameters& parameters, const std::string& name, std::int64_t in, std::int64_t out,
         bool bias, double initial_bias = 0, Initial initial = Initial::xavier());
  /// With weights that are a parameter of something else, [out, in].
  explicit Linear(Tensor weight) : weight_(std::move(weight)) {}
  /// Adds an adapter of low rank (Hu et al. 2021) with parameters of its own, which changes nothing
  /// at the beginning.
  void adapt(Parameters& parameters, const std::string& name, std::int64_t rank);
  Tensor operator()(const Tensor& x, TrainingConfig::Precision precision) const;

 private:
  Tensor weight_, bias_;  ///< [out, in], [out] or undefined; of several seeds with them before
  Tensor down_, up_;      ///< of an adapter, [rank, in], [out, rank]
};

/// LayerNorm or RMSNorm over the last dimension, with a factor (and for LayerNorm a shift) per
/// channel; the variance is increased by the configuration's norm_epsilon.
class ChannelNorm {
 public:
  ChannelNorm() = default;
  ChannelNorm(Parameters& parameters, const std::string& name, std::int64_t width,
              const ModelConfig& config);
  Tensor operator()(const Tensor& x) const;

 private:
  ModelConfig::NormKind kind_ = ModelConfig::NormKind::layernorm;
  double epsilon_ = 0;
  Tensor factor_, shift_;
};

/// Keys and values of the tokens seen so far, for one block. [B, key-value heads, tokens, w].
struct KeyValueCache {
  Tensor keys, values;
};

/// What a probe is shown of every block; tensors are detached.
struct ProbeView {
  std::string block;
  Tensor before;                          ///< [B, L, width], the states that enter the block
  Tensor queries, keys, values, weights;  ///< [B, heads, L, .]; weights [B, heads, L, L]
  Tensor inner;            ///< [B, L, hidden], before the activation; of swiglu [B, L, 2 hidden]
  Tensor hidden;           ///< [B, L, hidden], after the activation
  Tensor computed;         ///< [B, L, width], what the feed-forward layer makes of it
  Tensor attended, after;  ///< [B, L, width], the states after attention and after the block
};
using Probe = std::function<void(const ProbeView&)>;

/// Rotary positions (Su et al. 2021).
struct Rotary {
  double base = 10000;
  ModelConfig::RotaryPairs pairs = ModelConfig::RotaryPairs::halves;

  /// Cosines and sines of the angles of L tokens, [L, 1, w/2].
  struct Turns {
    Tensor cosine, sine;
  };
  /// Of tokens like those of x [B, L, heads, w], w even.
  Turns turns(const Tensor& like, std::int64_t first_position) const;
  /// x [B, L, heads, w]: its pair c of channels turns by position * base^(-2c/w).
  Tensor operator()(const Tensor& x, const Turns& turns) const;
  Tensor operator()(const Tensor& x, std::int64_t first_position) const {
    return (*this)(x, turns(x, first_position));
  }
};

/// What attention has to know beside the states.
struct AttentionContext {
  AttentionMask mask;
  std::int64_t first_position = 0;  ///< of the tokens given, for rotary positions and caches
  std::vector<KeyValueCache>* caches = nullptr;  ///< one per executed block, in order; grows
  const Probe* probe = nullptr;
  TrainingConfig::Precision precision = TrainingConfig::Precision::float32;
  std::size_t executed = 0;  ///< blocks so far, the index of the next cache
  /// Bytes [L, L] for every executed block, the last for all behind it, in place of `mask.open`; empty:
  /// the mask is that of all.
  std::vector<Tensor> layer_views;
  /// Takes the states after every executed block, [B, L, width], if they are asked for.
  std::vector<Tensor>* states = nullptr;
  /// What all blocks of a pass share, made by the first: the bias of the mask, rotary angles.
  Tensor bias;
  Rotary::Turns turns;

  /// Makes the mask that of the next block, for so many samples.
  void enter_block(std::int64_t samples);
};

/// One transformer block: attention, then feed-forward, each with its norm, and with a factor per
/// channel where the configuration has layer_scale.
class TransformerBlock {
 public:
  /// `distances`: of Positions::deberta, the table [2 max_distance, width] that blocks share.
  TransformerBlock(Parameters& parameters, std::string name, const ModelConfig& config,
                   const Tensor& distances);
  /// Adapters of queries, keys and values, whose parameters are `parameters`.
  void adapt(Parameters& parameters, std::int64_t rank);
  /// h [B, L, width] to the same shape.
  Tensor operator()(const Tensor& h, AttentionContext& context) const;

 private:
  Tensor attend(const Tensor& z, AttentionContext& context, ProbeView& seen) const;
  DistanceTerms distance_terms(const Tensor& q, const Tensor& k,
                               TrainingConfig::Precision precision) const;
  Tensor feed_forward(const Tensor& z, const AttentionContext& context, ProbeView& seen) const;
  Tensor sublayer(const Tensor& h, const ChannelNorm& norm, const Tensor& scale,
                  const std::function<Tensor(const Tensor&)>& body) const;

  std::string name_;
  std::int64_t heads_, key_value_heads_, width_;
  ModelConfig::NormPlace norm_place_;
  ModelConfig::Activation activation_;
  ModelConfig::Positions positions_;
  Rotary rotary_;
  std::int64_t most_distance_;
  ChannelNorm attention_norm_, feed_forward_norm_;
  std::optional<ChannelNorm> query_norm_, key_norm_;
  bool norm_over_all_heads_;
  Linear query_key_value_, output_, in_, out_;
  Tensor attention_scale_, feed_forward_scale_;
  Tensor distance_bias_;  ///< of Positions::relative, [heads, 2 max_distance]
  Tensor distances_;      ///< of Positions::deberta, the shared table
  Linear distance_to_key_, distance_to_query_;
};

}  // namespace logdepth::inline learned_core
