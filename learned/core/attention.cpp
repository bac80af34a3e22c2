#include "learned/core/attention.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <cmath>
#include <functional>
#include <limits>

#include "learned/core/attention_rows.hpp"

namespace logdepth {

using torch::Tensor;

Tensor AttentionMask::bias(std::int64_t queries, std::int64_t keys,
                           const torch::TensorOptions& options) const {
  Tensor closed;
  if (causal)
    closed = torch::ones({queries, keys}, options.dtype(torch::kBool)).triu(keys - queries + 1);
  if (open.defined()) {
    const Tensor given = (open == 0).unsqueeze(1);
    closed = closed.defined() ? closed.logical_or(given) : given;
  }
  if (!closed.defined()) return closed;
  return torch::zeros(closed.sizes(), options)
      .masked_fill_(closed, -std::numeric_limits<double>::infinity());
}

Attended attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                   TrainingConfig::Precision precision) {
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
  const bool rounded = precision == TrainingConfig::Precision::bfloat16;
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return rounded
               ? torch::matmul(a.to(torch::kBFloat16), b.to(torch::kBFloat16)).to(a.scalar_type())
               : torch::matmul(a, b);
  };
  Tensor scores = product(q * scale, k.transpose(-2, -1));
  if (bias.defined()) scores = scores + bias;
  const Tensor weights = torch::softmax(scores, -1);
  return {product(weights, v), weights};
}

namespace {

template <class Number>
void for_each_head(const Tensor& packed, std::int64_t heads, const Tensor& open, bool causal,
                   const std::function<void(AttentionRows<Number>&, std::int64_t batch,
                                            std::int64_t head)>& work) {
  const std::int64_t batch = packed.size(0), tokens = packed.size(1), width = packed.size(2) / 3;
  const std::uint8_t* const keys = open.numel() > 0 ? open.data_ptr<std::uint8_t>() : nullptr;
  at::parallel_for(0, batch * heads, 8, [&](std::int64_t begin, std::int64_t end) {
    AttentionRows<Number> rows(tokens, width / heads, 3 * width, causal);
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t b = at / heads, h = at % heads;
      rows.open = keys ? keys + b * tokens * tokens : nullptr;
      rows.queries = packed.data_ptr<Number>() + b * tokens * 3 * width + h * (width / heads);
      rows.keys = rows.queries + width;
      rows.values = rows.keys + width;
      work(rows, b, h);
    }
  });
}

template <class Number>
void forward_heads(const Tensor& packed, std::int64_t heads, const Tensor& open, bool causal,
                   Tensor& weights, Tensor& result) {
  const std::int64_t tokens = packed.size(1), width = packed.size(2) / 3;
  for_each_head<Number>(
      packed, heads, open, causal,
      [&](AttentionRows<Number>& rows, std::int64_t b, std::int64_t h) {
        rows.weights = weights.data_ptr<Number>() + (b * heads + h) * tokens * tokens;
        attention_forward(
            rows, result.data_ptr<Number>() + b * tokens * width + h * (width / heads), width);
      });
}

template <class Number>
void backward_heads(const Tensor& packed, std::int64_t heads, const Tensor& open, bool causal,
                    const Tensor& weights, const Tensor& above, Tensor& below) {
  const std::int64_t tokens = packed.size(1), width = packed.size(2) / 3;
  for_each_head<Number>(
      packed, heads, open, causal,
      [&](AttentionRows<Number>& rows, std::int64_t b, std::int64_t h) {
        rows.weights = weights.data_ptr<Number>() + (b * heads + h) * tokens * tokens;
        Number* const queries =
            below.data_ptr<Number>() + b * tokens * 3 * width + h * (width / heads);
        attention_backward(rows,
                           above.data_ptr<Number>() + b * tokens * width + h * (width / heads),
                           width, queries, queries + width, queries + 2 * width);
      });
}

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given,
                        std::int64_t heads, const Tensor& open, bool causal) {
    const Tensor packed = given.contiguous();
    const std::int64_t batch = packed.size(0), tokens = packed.size(1);
    Tensor weights = torch::zeros({batch, heads, tokens, tokens}, packed.options());
    Tensor result = torch::empty({batch, tokens, packed.size(2) / 3}, packed.options());
    if (packed.scalar_type() == torch::kFloat32) {
      forward_heads<float>(packed, heads, open, causal, weights, result);
    } else {
      forward_heads<double>(packed, heads, open, causal, weights, result);
    }
    context->save_for_backward({packed, weights, open});
    context->saved_data["heads"] = heads;
    context->saved_data["causal"] = causal;
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list above) {
    const auto saved = context->get_saved_variables();
    const Tensor &packed = saved[0], &weights = saved[1], &open = saved[2];
    const std::int64_t heads = context->saved_data["heads"].toInt();
    const bool causal = context->saved_data["causal"].toBool();
    Tensor below = torch::zeros_like(packed);
    const Tensor gradient = above[0].contiguous();
    if (packed.scalar_type() == torch::kFloat32) {
      backward_heads<float>(packed, heads, open, causal, weights, gradient, below);
    } else {
      backward_heads<double>(packed, heads, open, causal, weights, gradient, below);
    }
    return {below, Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

bool fused_attention_applies(const Tensor& query_key_value) {
  return query_key_value.device().is_cpu() && (query_key_value.scalar_type() == torch::kFloat32 ||
                                               query_key_value.scalar_type() == torch::kFloat64);
}

Tensor fused_attention(const Tensor& query_key_value, std::int64_t heads,
                       const AttentionMask& mask) {
  // A function of libtorch takes no undefined tensor: an empty one says that everything is open.
  const Tensor open =
      mask.open.defined() ? mask.open.contiguous() : torch::empty({0}, torch::kUInt8);
  return FusedAttention::apply(query_key_value, heads, open, mask.causal);
}

}  // namespace logdepth
