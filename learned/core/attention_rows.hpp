#pragma once

#include <cstdint>
#include <vector>

namespace logdepth {

/// One head of one sample in the fused pass of attention: `tokens` rows of `width` channels, rows
/// `stride` numbers apart.
template <class Number>
struct AttentionRows {
  AttentionRows(std::int64_t tokens_, std::int64_t width_, std::int64_t stride_, bool causal_)
      : tokens(tokens_),
        width(width_),
        stride(stride_),
        causal(causal_),
        scratch(static_cast<std::size_t>(tokens_)) {}

  std::int64_t tokens, width, stride;
  bool causal;                         ///< row i looks at keys 0 ... i only
  const std::uint8_t* open = nullptr;  ///< [tokens, tokens], null: no further mask
  const Number *queries = nullptr, *keys = nullptr, *values = nullptr;
  Number* weights = nullptr;  ///< [tokens, tokens]; closed entries stay as they are
  std::vector<Number> scratch;
};

/// Fills the weights and `result`, rows `result_stride` apart.
void attention_forward(AttentionRows<float>& rows, float* result, std::int64_t result_stride);
void attention_forward(AttentionRows<double>& rows, double* result, std::int64_t result_stride);

/// Adds the gradients of queries, keys and values, laid out as these; `above`: the gradient of the
/// result, rows `above_stride` apart.
void attention_backward(AttentionRows<float>& rows, const float* above, std::int64_t above_stride,
                        float* queries, float* keys, float* values);
void attention_backward(AttentionRows<double>& rows, const double* above, std::int64_t above_stride,
                        double* queries, double* keys, double* values);

}  // namespace logdepth
