#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "learned/core/parameters.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth { inline namespace learned_core {

/// Who may look at whom.
struct AttentionMask {
  torch::Tensor open;     ///< bytes [B, L, L]: row i may look at key j; undefined: everything
  torch::Tensor lengths;  ///< int64 [B]: keys from there on are padding; undefined: there is none
  bool causal = false;    ///< and only at keys up to itself

  /// 0 where open, -inf where not, to be added to scores [B, heads, L, keys] of L queries that
  /// stand at the end of the keys; undefined where everything is open.
  torch::Tensor bias(std::int64_t queries, std::int64_t keys,
                     const torch::TensorOptions& options) const;
};

struct Attended {
  torch::Tensor values;   ///< [B, heads, L, w]
  torch::Tensor weights;  ///< [B, heads, L, keys]
};

/// What the distance i - j of query i and key j, cut to [-K, K) and counted from -K, adds to their
/// score. Undefined tensors add nothing.
struct DistanceTerms {
  std::int64_t most = 0;      ///< K
  torch::Tensor by_distance;  ///< [heads, 2K], at i - j
  torch::Tensor by_query;     ///< [B, heads, L, 2K], at i - j, scaled as the products are
  torch::Tensor by_key;       ///< [B, heads, keys, 2K], at j - i, scaled as the products are

  /// The sum of the terms, [., heads, L, keys], of L queries that stand at the end of the keys.
  torch::Tensor scores(std::int64_t queries, std::int64_t keys, double scale) const;
};

/// 1 / sqrt(w), or 1 / sqrt(3w) where a score is a sum of three products (He et al. 2021).
double score_scale(std::int64_t head_width, const DistanceTerms& distances);

/// softmax(scale q k^T + distances + bias) v, by tensor operations: any device, any type. q [B,
/// heads, L, w]; k, v [B, heads, keys, w]; every query has an open key.
Attended attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                   const torch::Tensor& bias, TrainingConfig::Precision precision,
                   const DistanceTerms& distances = {});

/// The same in one pass over each head, forward and backward, for short sequences on a CPU, where
/// tensor operations on thousands of small matrices cost more than their arithmetic.
/// `query_key_value` [B, L, 3 width]: queries, keys and values of all heads side by side; of the distance
/// terms it takes `by_distance` alone. Result [B, L, width].
torch::Tensor fused_attention(const torch::Tensor& query_key_value, std::int64_t heads,
                              const AttentionMask& mask, const torch::Tensor& by_distance = {});

/// y = x W^T + b over the last dimension, its product in `precision`. Of several seeds the result is of that precision too.
class Linear {
 public:
  Linear() = default;
  Linear(Parameters& parameters, const std::string& name, std::int64_t in, std::int64_t out,
         bool bias, double initial_bias = 0, Initial initial = Initial::xavier());
  Tensor operator()(const Tensor& x, TrainingConfig::Precision precision) const;

 private:
  Tensor weight_, bias_;  ///< [out, in], [out] or undefined; of several seeds with them before
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

/// Keys and values of the tokens seen so far, for one block, [B, heads, tokens, w].
struct KeyValueCache {
  Tensor keys, values;
};

/// Is shown the name of every block that runs and its attention [B, heads, L, L], detached.
using Probe = std::function<void(const std::string& block, const Tensor& weights)>;

/// Rotary positions (Su et al. 2021).
struct Rotary {
  double base = 10000;

  /// Cosines and sines of the angles of L tokens, [L, 1, w/2].
  struct Turns {
    Tensor cosine, sine;
  };
  /// Of tokens like those of x [B, L, heads, w], w even.
  Turns turns(const Tensor& like, std::int64_t first_position) const;
  /// x [B, L, heads, w]: its channels c and c + w/2 turn by position * base^(-2c/w).
  Tensor operator()(const Tensor& x, const Turns& turns) const;
};

/// How one pass of a network runs.
struct PassOptions {
  std::uint32_t loops = 1;  ///< of the repeated block
  TrainingConfig::Precision precision = TrainingConfig::Precision::float32;
  const Probe* probe = nullptr;
  /// One per executed block, in order, for tokens that continue earlier ones; grows.
  std::vector<KeyValueCache>* caches = nullptr;
  std::int64_t first_position = 0;  ///< of the tokens given, for rotary positions and caches
};

/// What attention has to know beside the states.
struct AttentionContext : PassOptions {
  explicit AttentionContext(const PassOptions& options) : PassOptions(options) {}

  AttentionMask mask;
  std::size_t executed = 0;  ///< blocks so far, the index of the next cache
  /// Bytes [L, L] for every executed block, the last for all behind it, in place of `mask.open`; empty:
  /// the mask is that of all.
  std::vector<Tensor> layer_views;
  /// Takes the states after every executed block, [B, L, width], if they are asked for.
  std::vector<Tensor>* states = nullptr;
  /// What all blocks of a pass share, made by the first: the bias of the mask, rotary angles.
  Tensor bias;
  Rotary::Turns turns;
};

/// One transformer block: attention, then feed-forward, each with its norm, and with a factor per
/// channel where the configuration has layer_scale.
class TransformerBlock {
 public:
  /// `distances`: of Positions::deberta, the table [2 max_distance, width] that blocks share.
  TransformerBlock(Parameters& parameters, std::string name, const ModelConfig& config,
                   const Tensor& distances);
  /// h [B, L, width] to the same shape.
  Tensor operator()(const Tensor& h, AttentionContext& context) const;

 private:
  Tensor attend(const Tensor& z, AttentionContext& context) const;
  DistanceTerms distance_terms(const Tensor& q, const Tensor& k,
                               TrainingConfig::Precision precision) const;
  Tensor feed_forward(const Tensor& z, TrainingConfig::Precision precision) const;

  std::string name_;
  std::int64_t heads_, width_;
  ModelConfig::Activation activation_;
  ModelConfig::Positions positions_;
  Rotary rotary_;
  std::int64_t most_distance_;
  ChannelNorm attention_norm_, feed_forward_norm_;
  Linear query_key_value_, output_, in_, out_;
  Tensor attention_scale_, feed_forward_scale_;
  Tensor distance_bias_;  ///< of Positions::relative, [heads, 2 max_distance]
  Tensor distances_;      ///< of Positions::deberta, the shared table
  Linear distance_to_key_, distance_to_query_;
};

}}  // namespace logdepth::learned_core
