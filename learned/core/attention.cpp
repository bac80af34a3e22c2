#include "learned/core/attention.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/version.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "learned/core/attention_rows.hpp"

namespace logdepth::inline learned_core {

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
  if (lengths.defined()) {
    const Tensor padding = torch::arange(keys, lengths.options()) >= lengths.unsqueeze(1);
    const Tensor given = padding.view({-1, 1, 1, keys});
    closed = closed.defined() ? closed.logical_or(given) : given;
  }
  if (!closed.defined()) return closed;
  return torch::zeros(closed.sizes(), options)
      .masked_fill_(closed, -std::numeric_limits<double>::infinity());
}

Tensor DistanceTerms::scores(std::int64_t queries, std::int64_t keys, double scale) const {
  if (most == 0) return {};
  const Tensor& any = by_distance.defined() ? by_distance : by_query;
  const auto whole = torch::TensorOptions().dtype(torch::kLong).device(any.device());
  const Tensor rows = torch::arange(keys - queries, keys, whole).unsqueeze(1);
  const Tensor columns = torch::arange(keys, whole).unsqueeze(0);
  const auto index = [&](const Tensor& distance) { return distance.clamp(-most, most - 1) + most; };
  Tensor sum;
  if (by_distance.defined())
    sum = by_distance.index_select(1, index(rows - columns).flatten())
              .view({1, by_distance.size(0), queries, keys});
  if (by_query.defined()) {
    const std::int64_t batch = by_query.size(0), heads = by_query.size(1);
    const Tensor there = index(rows - columns).expand({batch, heads, queries, keys});
    const Tensor back = index(columns - rows).t().expand({batch, heads, keys, queries});
    const Tensor terms =
        scale * (by_query.gather(3, there) + by_key.gather(3, back).transpose(2, 3));
    sum = sum.defined() ? sum + terms : terms;
  }
  return sum;
}

double score_scale(std::int64_t head_width, const DistanceTerms& distances) {
  return 1 /
         std::sqrt((distances.by_query.defined() ? 3.0 : 1.0) * static_cast<double>(head_width));
}

Attended attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                   TrainingConfig::Precision precision, const DistanceTerms& distances) {
  const double scale = score_scale(q.size(-1), distances);
  const bool rounded = precision == TrainingConfig::Precision::bfloat16;
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return rounded
               ? torch::matmul(a.to(torch::kBFloat16), b.to(torch::kBFloat16)).to(a.scalar_type())
               : torch::matmul(a, b);
  };
  Tensor scores = product(q * scale, k.transpose(-2, -1));
  if (distances.most > 0) scores = scores + distances.scores(q.size(2), k.size(2), scale);
  if (bias.defined()) scores = scores + bias;
  const Tensor weights = torch::softmax(scores, -1);
  return {product(weights, v), weights};
}

#if TORCH_VERSION_MAJOR >= 2
bool device_attention_applies(const Tensor& q, const DistanceTerms& distances) {
  return q.is_cuda() && distances.most == 0;
}

Tensor device_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                        TrainingConfig::Precision precision) {
  const torch::ScalarType type =
      precision == TrainingConfig::Precision::bfloat16 ? torch::kBFloat16 : q.scalar_type();
  std::optional<Tensor> given;
  if (bias.defined()) given = bias.to(type).expand({q.size(0), q.size(1), q.size(2), k.size(2)});
  return torch::scaled_dot_product_attention(q.to(type), k.to(type), v.to(type), given)
      .to(q.scalar_type());
}
#else
bool device_attention_applies(const Tensor&, const DistanceTerms&) {
  return false;
}

Tensor device_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                        TrainingConfig::Precision precision) {
  return attention(q, k, v, bias, precision).values;
}
#endif

namespace {

/// What the fused pass is given: tensors that are not there are empty, because a function of
/// libtorch takes no undefined ones.
struct FusedInput {
  Tensor packed, open, lengths, by_distance, by_query, by_key;
  std::int64_t heads = 0, most = 0;
  bool causal = false;

  std::int64_t batch() const { return packed.size(0); }
  std::int64_t tokens() const { return packed.size(1); }
  std::int64_t width() const { return packed.size(2) / 3; }
};

template <class Number>
Number* numbers(const Tensor& tensor, std::int64_t offset) {
  return tensor.numel() > 0 ? tensor.data_ptr<Number>() + offset : nullptr;
}

template <class Number>
void for_each_head(const FusedInput& input, const Tensor& weights,
                   const std::function<void(AttentionRows<Number>&, std::int64_t batch,
                                            std::int64_t head)>& work) {
  const std::int64_t tokens = input.tokens(), width = input.width(), heads = input.heads;
  const std::int64_t distances = 2 * input.most;
  at::parallel_for(0, input.batch() * heads, 8, [&](std::int64_t begin, std::int64_t end) {
    AttentionRows<Number> rows(tokens, width / heads, 3 * width, input.causal);
    rows.most_distance = input.most;
    if (input.by_query.numel() > 0) rows.scale /= std::sqrt(static_cast<Number>(3));
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t b = at / heads, h = at % heads;
      rows.open = numbers<std::uint8_t>(input.open, b * tokens * tokens);
      if (input.lengths.numel() > 0) rows.visible = input.lengths.data_ptr<std::int64_t>()[b];
      rows.queries = input.packed.data_ptr<Number>() + b * tokens * 3 * width + h * (width / heads);
      rows.keys = rows.queries + width;
      rows.values = rows.keys + width;
      rows.by_distance = numbers<Number>(input.by_distance, h * distances);
      rows.by_query = numbers<Number>(input.by_query, at * tokens * distances);
      rows.by_key = numbers<Number>(input.by_key, at * tokens * distances);
      rows.weights = weights.data_ptr<Number>() + at * tokens * tokens;
      work(rows, b, h);
    }
  });
}

template <class Number>
void forward_heads(const FusedInput& input, const Tensor& weights, const Tensor& result) {
  const std::int64_t tokens = input.tokens(), width = input.width();
  for_each_head<Number>(
      input, weights, [&](AttentionRows<Number>& rows, std::int64_t b, std::int64_t h) {
        attention_forward(
            rows, result.data_ptr<Number>() + b * tokens * width + h * (width / input.heads),
            width);
      });
}

/// The gradients of the tensors of an input; `by_distance` per sample, [B, heads, 2K], so that
/// samples can be taken in parallel.
struct FusedGradients {
  Tensor packed, by_distance, by_query, by_key;
};

template <class Number>
void backward_heads(const FusedInput& input, const Tensor& weights, const Tensor& above,
                    const FusedGradients& below) {
  const std::int64_t tokens = input.tokens(), width = input.width(), heads = input.heads;
  for_each_head<Number>(
      input, weights, [&](AttentionRows<Number>& rows, std::int64_t b, std::int64_t h) {
        const std::int64_t at = b * heads + h, head = h * (width / heads);
        AttentionGradients<Number> gradients;
        gradients.queries = below.packed.data_ptr<Number>() + b * tokens * 3 * width + head;
        gradients.keys = gradients.queries + width;
        gradients.values = gradients.keys + width;
        gradients.by_distance = numbers<Number>(below.by_distance, at * 2 * input.most);
        gradients.by_query = numbers<Number>(below.by_query, at * tokens * 2 * input.most);
        gradients.by_key = numbers<Number>(below.by_key, at * tokens * 2 * input.most);
        attention_backward(rows, above.data_ptr<Number>() + b * tokens * width + head, width,
                           gradients);
      });
}

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& packed,
                        const Tensor& open, const Tensor& lengths, const Tensor& by_distance,
                        const Tensor& by_query, const Tensor& by_key, std::int64_t heads,
                        std::int64_t most, bool causal) {
    const FusedInput input{packed.contiguous(),
                           open,
                           lengths,
                           by_distance.contiguous(),
                           by_query.contiguous(),
                           by_key.contiguous(),
                           heads,
                           most,
                           causal};
    const auto options = input.packed.options();
    const std::int64_t tokens = input.tokens();
    const Tensor weights = torch::zeros({input.batch(), heads, tokens, tokens}, options);
    const Tensor result = torch::empty({input.batch(), tokens, input.width()}, options);
    if (packed.scalar_type() == torch::kFloat32) {
      forward_heads<float>(input, weights, result);
    } else {
      forward_heads<double>(input, weights, result);
    }
    context->save_for_backward({input.packed, input.open, input.lengths, input.by_distance,
                                input.by_query, input.by_key, weights});
    context->saved_data["heads"] = heads;
    context->saved_data["most"] = most;
    context->saved_data["causal"] = causal;
    return result;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list above) {
    const auto saved = context->get_saved_variables();
    const FusedInput input{saved[0],
                           saved[1],
                           saved[2],
                           saved[3],
                           saved[4],
                           saved[5],
                           context->saved_data["heads"].toInt(),
                           context->saved_data["most"].toInt(),
                           context->saved_data["causal"].toBool()};
    FusedGradients below{torch::zeros_like(input.packed), torch::empty({0}, input.packed.options()),
                         torch::zeros_like(input.by_query), torch::zeros_like(input.by_key)};
    if (input.by_distance.numel() > 0)
      below.by_distance =
          torch::zeros({input.batch(), input.heads, 2 * input.most}, input.packed.options());
    const Tensor gradient = above[0].contiguous();
    if (input.packed.scalar_type() == torch::kFloat32) {
      backward_heads<float>(input, saved[6], gradient, below);
    } else {
      backward_heads<double>(input, saved[6], gradient, below);
    }
    const auto present = [](const Tensor& tensor) {
      return tensor.numel() > 0 ? tensor : Tensor();
    };
    return {below.packed,
            Tensor(),
            Tensor(),
            input.by_distance.numel() > 0 ? below.by_distance.sum(0) : Tensor(),
            present(below.by_query),
            present(below.by_key),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

bool fused_attention_applies(const Tensor& query_key_value) {
  return query_key_value.device().is_cpu() && (query_key_value.scalar_type() == torch::kFloat32 ||
                                               query_key_value.scalar_type() == torch::kFloat64);
}

Tensor fused_attention(const Tensor& query_key_value, std::int64_t heads, const AttentionMask& mask,
                       const DistanceTerms& distances) {
  const auto given = [&](const Tensor& tensor, torch::ScalarType type) {
    return tensor.defined() ? tensor.contiguous() : torch::empty({0}, type);
  };
  const torch::ScalarType type = query_key_value.scalar_type();
  return FusedAttention::apply(query_key_value, given(mask.open, torch::kUInt8),
                               given(mask.lengths, torch::kLong),
                               given(distances.by_distance, type), given(distances.by_query, type),
                               given(distances.by_key, type), heads, distances.most, mask.causal);
}

}  // namespace logdepth::inline learned_core
