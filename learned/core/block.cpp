#include "learned/core/block.hpp"

#include <ATen/Parallel.h>
#include <torch/autograd.h>
#include <torch/version.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "learned/core/attention_rows.hpp"

namespace logdepth { inline namespace learned_core {

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

namespace {

#if TORCH_VERSION_MAJOR >= 2
/// The values of the same by libtorch's fused operation, which keeps no weights: on a device, by a
/// libtorch of version 2 or newer, without distance terms. `bias` may be undefined.
Tensor device_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                        TrainingConfig::Precision precision) {
  const torch::ScalarType type =
      precision == TrainingConfig::Precision::bfloat16 ? torch::kBFloat16 : q.scalar_type();
  std::optional<Tensor> given;
  if (bias.defined()) given = bias.to(type).expand({q.size(0), q.size(1), q.size(2), k.size(2)});
  return torch::scaled_dot_product_attention(q.to(type), k.to(type), v.to(type), given)
      .to(q.scalar_type());
}
#endif

/// What the fused pass is given: tensors that are not there are empty, because a function of
/// libtorch takes no undefined ones.
struct FusedInput {
  Tensor packed, open, lengths, by_distance;
  std::int64_t heads = 0;
  bool causal = false;

  std::int64_t batch() const { return packed.size(0); }
  std::int64_t tokens() const { return packed.size(1); }
  std::int64_t width() const { return packed.size(2) / 3; }
  std::int64_t distances() const { return by_distance.numel() / heads; }  ///< 2K
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
  at::parallel_for(0, input.batch() * heads, 8, [&](std::int64_t begin, std::int64_t end) {
    AttentionRows<Number> rows(tokens, width / heads, 3 * width, input.causal);
    rows.most_distance = input.distances() / 2;
    for (std::int64_t at = begin; at < end; ++at) {
      const std::int64_t b = at / heads, h = at % heads;
      rows.open = numbers<std::uint8_t>(input.open, b * tokens * tokens);
      if (input.lengths.numel() > 0) rows.visible = input.lengths.data_ptr<std::int64_t>()[b];
      rows.queries = input.packed.data_ptr<Number>() + b * tokens * 3 * width + h * (width / heads);
      rows.keys = rows.queries + width;
      rows.values = rows.keys + width;
      rows.by_distance = numbers<Number>(input.by_distance, h * input.distances());
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
  Tensor packed, by_distance;
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
        gradients.by_distance = numbers<Number>(below.by_distance, at * input.distances());
        attention_backward(rows, above.data_ptr<Number>() + b * tokens * width + head, width,
                           gradients);
      });
}

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& packed,
                        const Tensor& open, const Tensor& lengths, const Tensor& by_distance,
                        std::int64_t heads, bool causal) {
    const FusedInput input{packed.contiguous(),      open,  lengths,
                           by_distance.contiguous(), heads, causal};
    const auto options = input.packed.options();
    const std::int64_t tokens = input.tokens();
    const Tensor weights = torch::zeros({input.batch(), heads, tokens, tokens}, options);
    const Tensor result = torch::empty({input.batch(), tokens, input.width()}, options);
    if (packed.scalar_type() == torch::kFloat32) {
      forward_heads<float>(input, weights, result);
    } else {
      forward_heads<double>(input, weights, result);
    }
    context->save_for_backward(
        {input.packed, input.open, input.lengths, input.by_distance, weights});
    context->saved_data["heads"] = heads;
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
                           context->saved_data["heads"].toInt(),
                           context->saved_data["causal"].toBool()};
    const Tensor weights = saved[4];
    FusedGradients below{torch::zeros_like(input.packed),
                         torch::empty({0}, input.packed.options())};
    if (input.by_distance.numel() > 0)
      below.by_distance =
          torch::zeros({input.batch(), input.heads, input.distances()}, input.packed.options());
    const Tensor gradient = above[0].contiguous();
    if (input.packed.scalar_type() == torch::kFloat32) {
      backward_heads<float>(input, weights, gradient, below);
    } else {
      backward_heads<double>(input, weights, gradient, below);
    }
    return {below.packed, Tensor(),
            Tensor(),     input.by_distance.numel() > 0 ? below.by_distance.sum(0) : Tensor(),
            Tensor(),     Tensor()};
  }
};

/// Whether the fused pass can be taken: float32 or float64 on a CPU.
bool fused_attention_applies(const Tensor& query_key_value) {
  return query_key_value.device().is_cpu() && (query_key_value.scalar_type() == torch::kFloat32 ||
                                               query_key_value.scalar_type() == torch::kFloat64);
}

}  // namespace

Tensor fused_attention(const Tensor& query_key_value, std::int64_t heads, const AttentionMask& mask,
                       const Tensor& by_distance) {
  const auto given = [&](const Tensor& tensor, torch::ScalarType type) {
    return tensor.defined() ? tensor.contiguous() : torch::empty({0}, type);
  };
  return FusedAttention::apply(
      query_key_value, given(mask.open, torch::kUInt8), given(mask.lengths, torch::kLong),
      given(by_distance, query_key_value.scalar_type()), heads, mask.causal);
}

Linear::Linear(Parameters& parameters, const std::string& name, std::int64_t in, std::int64_t out,
               bool bias, double initial_bias, Initial initial)
    : weight_(parameters.add(name + ".weight", {out, in}, initial)) {
  if (bias) bias_ = parameters.add(name + ".bias", {out}, Initial::constant(initial_bias));
}

namespace {

/// Rows [S B, ..., channels] of several seeds by what each seed has, [S, ...].
Tensor by_seed(const Tensor& x, std::int64_t seeds) {
  return x.reshape({seeds, -1, x.size(-1)});
}

/// [S B, ..., in] by the weights of each seed, [S, out, in], in the precision of the products.
Tensor stacked_linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
                      TrainingConfig::Precision precision) {
  const torch::ScalarType type =
      precision == TrainingConfig::Precision::bfloat16 ? torch::kBFloat16 : weight.scalar_type();
  const Tensor rows = by_seed(x, weight.size(0)).to(type);
  const Tensor columns = weight.to(type).transpose(1, 2);
  const Tensor y = bias.defined() ? torch::baddbmm(bias.to(type).unsqueeze(1), rows, columns)
                                  : torch::bmm(rows, columns);
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape.back() = weight.size(1);
  return y.view(shape);
}

}  // namespace

Tensor Linear::operator()(const Tensor& x, TrainingConfig::Precision precision) const {
  if (weight_.dim() == 3) return stacked_linear(x, weight_, bias_, precision);
  if (precision == TrainingConfig::Precision::float32) return torch::linear(x, weight_, bias_);
  const Tensor y = torch::matmul(x.to(torch::kBFloat16), weight_.to(torch::kBFloat16).t());
  return bias_.defined() ? y.to(x.scalar_type()) + bias_ : y.to(x.scalar_type());
}

ChannelNorm::ChannelNorm(Parameters& parameters, const std::string& name, std::int64_t width,
                         const ModelConfig& config)
    : kind_(config.norm),
      epsilon_(config.norm_epsilon),
      factor_(parameters.add(name + ".weight", {width}, Initial::constant(1))) {
  if (kind_ == ModelConfig::NormKind::layernorm)
    shift_ = parameters.add(name + ".bias", {width}, Initial::constant(0));
}

Tensor ChannelNorm::operator()(const Tensor& x) const {
  if (factor_.dim() == 2) {
    const Tensor rows = by_seed(x, factor_.size(0));
    const Tensor factor = factor_.unsqueeze(1);
    const Tensor normed =
        kind_ == ModelConfig::NormKind::layernorm
            ? torch::addcmul(shift_.unsqueeze(1),
                             torch::layer_norm(rows, {rows.size(-1)}, {}, {}, epsilon_), factor)
            : rows * torch::rsqrt(rows.square().mean(-1, /*keepdim=*/true) + epsilon_) * factor;
    return normed.view(x.sizes());
  }
  if (kind_ == ModelConfig::NormKind::layernorm)
    return torch::layer_norm(x, factor_.sizes(), factor_, shift_, epsilon_);
  return x * torch::rsqrt(x.square().mean(-1, /*keepdim=*/true) + epsilon_) * factor_;
}

Rotary::Turns Rotary::turns(const Tensor& like, std::int64_t first_position) const {
  const std::int64_t tokens = like.size(1), half = like.size(-1) / 2;
  const auto exact = torch::TensorOptions().dtype(torch::kFloat64).device(like.device());
  const Tensor positions = torch::arange(first_position, first_position + tokens, exact);
  const Tensor speeds =
      torch::exp(torch::arange(half, exact) * (-std::log(base) / static_cast<double>(half)));
  const Tensor angles = torch::outer(positions, speeds).unsqueeze(1);  // [L, 1, w/2]
  return {angles.cos().to(like.scalar_type()), angles.sin().to(like.scalar_type())};
}

Tensor Rotary::operator()(const Tensor& x, const Turns& turns) const {
  const std::int64_t half = x.size(-1) / 2;
  const Tensor &cosine = turns.cosine, &sine = turns.sine;
  const Tensor a = x.narrow(-1, 0, half), b = x.narrow(-1, half, half);
  return torch::cat({a * cosine - b * sine, a * sine + b * cosine}, -1);
}

namespace {

/// AdamW moves a number by about the learning rate a step; a bias of scores has to grow to several
/// units before it selects.
constexpr double kDistanceBiasScale = 10;

/// `scale` may be undefined.
Tensor added(const Tensor& h, const Tensor& change, const Tensor& scale) {
  return scale.defined() ? torch::addcmul(h, change, scale) : h + change;
}

}  // namespace

TransformerBlock::TransformerBlock(Parameters& parameters, std::string name,
                                   const ModelConfig& config, const Tensor& distances)
    : name_(std::move(name)),
      heads_(config.heads),
      width_(config.width),
      activation_(config.activation),
      positions_(config.positions),
      most_distance_(config.max_distance),
      attention_norm_(parameters, name_ + ".attention_norm", width_, config),
      feed_forward_norm_(parameters, name_ + ".feed_forward_norm", width_, config),
      query_key_value_(parameters, name_ + ".query_key_value", width_, 3 * width_, true),
      output_(parameters, name_ + ".output", width_, width_, true),
      in_(parameters, name_ + ".in", width_,
          (activation_ == ModelConfig::Activation::swiglu ? 2 : 1) *
              static_cast<std::int64_t>(config.hidden),
          true),
      out_(parameters, name_ + ".out", config.hidden, width_, true) {
  if (positions_ == ModelConfig::Positions::relative)
    distance_bias_ = parameters.add(name_ + ".distance_bias", {heads_, 2 * most_distance_},
                                    Initial::constant(0));
  if (positions_ == ModelConfig::Positions::deberta) {
    distances_ = distances;
    distance_to_key_ = Linear(parameters, name_ + ".distance_to_key", width_, width_, false);
    distance_to_query_ = Linear(parameters, name_ + ".distance_to_query", width_, width_, false);
  }
  if (config.layer_scale) {
    const Initial initial = Initial::constant(*config.layer_scale);
    attention_scale_ = parameters.add(name_ + ".attention_scale", {width_}, initial);
    feed_forward_scale_ = parameters.add(name_ + ".feed_forward_scale", {width_}, initial);
  }
}

DistanceTerms TransformerBlock::distance_terms(const Tensor& q, const Tensor& k,
                                               TrainingConfig::Precision precision) const {
  DistanceTerms terms;
  if (distance_bias_.defined()) {
    terms.most = most_distance_;
    terms.by_distance = distance_bias_ * kDistanceBiasScale;
  }
  if (distances_.defined()) {
    terms.most = most_distance_;
    // The table as [heads, w, 2K].
    const auto projected = [&](const Linear& map) {
      return map(distances_, precision).view({2 * most_distance_, heads_, -1}).permute({1, 2, 0});
    };
    terms.by_query = torch::matmul(q, projected(distance_to_key_));
    terms.by_key = torch::matmul(k, projected(distance_to_query_));
  }
  return terms;
}

Tensor TransformerBlock::attend(const Tensor& z, AttentionContext& context) const {
  const std::int64_t batch = z.size(0), tokens = z.size(1), head_width = width_ / heads_;
  const Tensor all = query_key_value_(z, context.precision);
  // [B, L, heads, w], of the queries, keys or values.
  const auto part = [&](std::int64_t which) {
    return all.narrow(-1, which * width_, width_).view({batch, tokens, heads_, head_width});
  };
  const bool rotary = positions_ == ModelConfig::Positions::rotary;
  const auto placed = [&](const Tensor& x) {
    if (!rotary) return x;
    const Tensor rows = x.to(z.scalar_type());
    if (!context.turns.cosine.defined())
      context.turns = rotary_.turns(rows, context.first_position);
    return rotary_(rows, context.turns);
  };
  Tensor q = placed(part(0)), k = placed(part(1)), v = part(2);
  if (!context.caches && !context.probe && !distances_.defined() && fused_attention_applies(all)) {
    const Tensor side_by_side =
        rotary ? torch::cat({q.flatten(2), k.flatten(2), v.flatten(2)}, -1) : all;
    return output_(fused_attention(side_by_side, heads_, context.mask,
                                   distance_terms({}, {}, context.precision).by_distance),
                   context.precision);
  }
  q = q.transpose(1, 2);
  k = k.transpose(1, 2);
  v = v.transpose(1, 2);
  if (context.caches) {
    if (context.caches->size() <= context.executed) context.caches->emplace_back();
    KeyValueCache& cache = (*context.caches)[context.executed];
    if (cache.keys.defined()) {
      k = torch::cat({cache.keys, k}, 2);
      v = torch::cat({cache.values, v}, 2);
    }
    cache = {k, v};
  }
  const DistanceTerms distances = distance_terms(q, k, context.precision);
  if (!context.bias.defined()) context.bias = context.mask.bias(tokens, k.size(2), z.options());
#if TORCH_VERSION_MAJOR >= 2
  if (!context.probe && q.is_cuda() && distances.most == 0)
    return output_(device_attention(q, k, v, context.bias, context.precision)
                       .transpose(1, 2)
                       .reshape({batch, tokens, width_}),
                   context.precision);
#endif
  const Attended attended = attention(q, k, v, context.bias, context.precision, distances);
  if (context.probe) (*context.probe)(name_, attended.weights.detach());
  return output_(attended.values.transpose(1, 2).reshape({batch, tokens, width_}),
                 context.precision);
}

Tensor TransformerBlock::feed_forward(const Tensor& z, TrainingConfig::Precision precision) const {
  Tensor hidden = in_(z, precision);
  if (activation_ == ModelConfig::Activation::gelu) {
    hidden = torch::gelu(hidden);
  } else {
    const auto halves = hidden.chunk(2, -1);
    hidden = torch::silu(halves[0]) * halves[1];
  }
  return out_(hidden, precision);
}

Tensor TransformerBlock::operator()(const Tensor& h, AttentionContext& context) const {
  if (const auto& views = context.layer_views; !views.empty()) {
    const Tensor& view = views[std::min(context.executed, views.size() - 1)];
    context.mask.open = view.expand({h.size(0), view.size(0), view.size(1)});
    context.bias = Tensor();
  }
  const Tensor attended = added(h, attend(attention_norm_(h), context), attention_scale_);
  const Tensor result = added(
      attended, feed_forward(feed_forward_norm_(attended), context.precision), feed_forward_scale_);
  ++context.executed;
  if (context.states) context.states->push_back(result);
  return result;
}

}}  // namespace logdepth::learned_core
