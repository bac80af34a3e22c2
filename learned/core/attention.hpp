#pragma once

#include <torch/types.h>

#include <cstdint>

#include "learned/records/training_config.hpp"

namespace logdepth {

/// Who may look at whom.
struct AttentionMask {
  torch::Tensor open;   ///< bytes [B, L, L]: row i may look at key j; undefined: everything
  bool causal = false;  ///< and only at keys up to itself

  /// 0 where open, -inf where not, to be added to scores [B, heads, L, keys] of L queries that
  /// stand at the end of the keys; undefined where everything is open.
  torch::Tensor bias(std::int64_t queries, std::int64_t keys,
                     const torch::TensorOptions& options) const;
};

struct Attended {
  torch::Tensor values;   ///< [B, heads, L, w]
  torch::Tensor weights;  ///< [B, heads, L, keys]
};

/// softmax(q k^T / sqrt(w) + bias) v, by tensor operations: any device, any type. q [B, heads, L,
/// w]; k, v [B, heads, keys, w]; every query has an open key.
Attended attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                   const torch::Tensor& bias, TrainingConfig::Precision precision);

/// The same in one pass over each head, forward and backward, for short sequences on a CPU, where
/// tensor operations on thousands of small matrices cost more than their arithmetic.
/// `query_key_value` [B, L, 3 width]: queries, keys and values of all heads side by side; result
/// [B, L, width].
torch::Tensor fused_attention(const torch::Tensor& query_key_value, std::int64_t heads,
                              const AttentionMask& mask);
/// Whether the fused pass can be taken: float32 or float64 on a CPU.
bool fused_attention_applies(const torch::Tensor& query_key_value);

}  // namespace logdepth
