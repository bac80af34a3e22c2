#pragma once

#include <torch/types.h>

#include <cstdint>

#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_core {

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

/// The values of the same by libtorch's fused operation, which keeps no weights: on a device, by a
/// libtorch of version 2 or newer, without distance terms. `bias` may be undefined.
torch::Tensor device_attention(const torch::Tensor& q, const torch::Tensor& k,
                               const torch::Tensor& v, const torch::Tensor& bias,
                               TrainingConfig::Precision precision);
bool device_attention_applies(const torch::Tensor& q, const DistanceTerms& distances);

/// The same in one pass over each head, forward and backward, for short sequences on a CPU, where
/// tensor operations on thousands of small matrices cost more than their arithmetic.
/// `query_key_value` [B, L, 3 width]: queries, keys and values of all heads side by side; result
/// [B, L, width].
torch::Tensor fused_attention(const torch::Tensor& query_key_value, std::int64_t heads,
                              const AttentionMask& mask, const DistanceTerms& distances = {});
/// Whether the fused pass can be taken: float32 or float64 on a CPU.
bool fused_attention_applies(const torch::Tensor& query_key_value);

}  // namespace logdepth::inline learned_core
