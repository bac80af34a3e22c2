#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace logdepth { inline namespace learned_core {

/// One head of one sample in the fused pass of attention: `tokens` rows of `width` channels, rows
/// `stride` numbers apart.
template <class Number>
struct AttentionRows {
  AttentionRows(std::int64_t tokens_, std::int64_t width_, std::int64_t stride_, bool causal_)
      : tokens(tokens_),
        width(width_),
        stride(stride_),
        causal(causal_),
        visible(tokens_),
        scale(1 / std::sqrt(static_cast<Number>(width_))),
        scratch(static_cast<std::size_t>(tokens_)) {}

  std::int64_t tokens, width, stride;
  bool causal;                         ///< row i looks at keys 0 ... i only
  std::int64_t visible;                ///< keys from here on are padding
  const std::uint8_t* open = nullptr;  ///< [tokens, tokens], null: no further mask
  Number scale;                        ///< of products of queries and keys
  /// What the distance of i from j adds to the score: i - j cut to [-most_distance, most_distance), its
  /// index that plus most_distance. Null: nothing.
  std::int64_t most_distance = 0;
  const Number* by_distance = nullptr;  ///< [2 most_distance], not scaled
  const Number *queries = nullptr, *keys = nullptr, *values = nullptr;
  Number* weights = nullptr;  ///< [tokens, tokens]; closed entries stay as they are
  std::vector<Number> scratch;
};

/// Fills the weights and `result`, rows `result_stride` apart.
void attention_forward(AttentionRows<float>& rows, float* result, std::int64_t result_stride);
void attention_forward(AttentionRows<double>& rows, double* result, std::int64_t result_stride);

/// The gradients of one head, laid out as what they are of; null where that is null.
template <class Number>
struct AttentionGradients {
  Number *queries = nullptr, *keys = nullptr, *values = nullptr;
  Number* by_distance = nullptr;
};

/// Adds the gradients; `above`: the gradient of the result, rows `above_stride` apart.
void attention_backward(AttentionRows<float>& rows, const float* above, std::int64_t above_stride,
                        const AttentionGradients<float>& gradients);
void attention_backward(AttentionRows<double>& rows, const double* above, std::int64_t above_stride,
                        const AttentionGradients<double>& gradients);

}}  // namespace logdepth::learned_core
