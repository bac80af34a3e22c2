#include "learned/core/block.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace logdepth::inline learned_core {

Linear::Linear(Parameters& parameters, const std::string& name, std::int64_t in, std::int64_t out,
               bool bias, double initial_bias, Initial initial)
    : weight_(parameters.add(name + ".weight", {out, in}, initial)) {
  if (bias) bias_ = parameters.add(name + ".bias", {out}, Initial::constant(initial_bias));
}

void Linear::adapt(Parameters& parameters, const std::string& name, std::int64_t rank) {
  const std::int64_t out = weight_.size(0), in = weight_.size(1);
  const double deviation = 1 / std::sqrt(static_cast<double>(in));
  down_ = parameters.add(name + ".adapter_down", {rank, in}, Initial::normal(deviation));
  up_ = parameters.add(name + ".adapter_up", {out, rank}, Initial::constant(0));
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
  const auto times = [precision](const Tensor& rows, const Tensor& weight) {
    if (precision == TrainingConfig::Precision::float32) return torch::linear(rows, weight);
    return torch::matmul(rows.to(torch::kBFloat16), weight.to(torch::kBFloat16).t())
        .to(rows.scalar_type());
  };
  if (precision == TrainingConfig::Precision::float32 && !down_.defined())
    return torch::linear(x, weight_, bias_);
  Tensor y = times(x, weight_);
  if (bias_.defined()) y = y + bias_;
  return down_.defined() ? y + times(times(x, down_), up_) : y;
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
  if (pairs == ModelConfig::RotaryPairs::neighbours) {
    const Tensor in_pairs = x.unflatten(-1, {half, 2});
    const Tensor a = in_pairs.select(-1, 0), b = in_pairs.select(-1, 1);
    return torch::stack({a * cosine - b * sine, a * sine + b * cosine}, -1).flatten(-2);
  }
  const Tensor a = x.narrow(-1, 0, half), b = x.narrow(-1, half, half);
  return torch::cat({a * cosine - b * sine, a * sine + b * cosine}, -1);
}

namespace {
/// AdamW moves a number by about the learning rate a step; a bias of scores has to grow to several
/// units before it selects.
constexpr double kDistanceBiasScale = 10;
}  // namespace

TransformerBlock::TransformerBlock(Parameters& parameters, std::string name,
                                   const ModelConfig& config, const Tensor& distances)
    : name_(std::move(name)),
      heads_(config.heads),
      key_value_heads_(config.key_value_heads == 0 ? config.heads : config.key_value_heads),
      width_(config.width),
      norm_place_(config.norm_place),
      activation_(config.activation),
      positions_(config.positions),
      rotary_{config.rotary_base, config.rotary_pairs},
      most_distance_(config.max_distance),
      attention_norm_(parameters, name_ + ".attention_norm", width_, config),
      feed_forward_norm_(parameters, name_ + ".feed_forward_norm", width_, config),
      norm_over_all_heads_(config.query_key_norm_over == ModelConfig::NormOver::all_heads),
      query_key_value_(parameters, name_ + ".query_key_value", width_,
                       (heads_ + 2 * key_value_heads_) * (width_ / heads_), config.bias),
      output_(parameters, name_ + ".output", width_, width_, config.bias),
      in_(parameters, name_ + ".in", width_,
          (activation_ == ModelConfig::Activation::swiglu ? 2 : 1) *
              static_cast<std::int64_t>(config.hidden),
          config.bias),
      out_(parameters, name_ + ".out", config.hidden, width_, config.bias) {
  if (config.query_key_norm) {
    const std::int64_t head_width = width_ / heads_;
    query_norm_.emplace(parameters, name_ + ".query_norm",
                        norm_over_all_heads_ ? width_ : head_width, config);
    key_norm_.emplace(parameters, name_ + ".key_norm",
                      norm_over_all_heads_ ? key_value_heads_ * head_width : head_width, config);
  }
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

void TransformerBlock::adapt(Parameters& parameters, std::int64_t rank) {
  query_key_value_.adapt(parameters, name_ + ".query_key_value", rank);
}

Tensor TransformerBlock::sublayer(const Tensor& h, const ChannelNorm& norm, const Tensor& scale,
                                  const std::function<Tensor(const Tensor&)>& body) const {
  const bool before = norm_place_ == ModelConfig::NormPlace::before;
  Tensor change = body(before ? norm(h) : h);
  if (!before) change = norm(change);
  return scale.defined() ? torch::addcmul(h, change, scale) : h + change;
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

Tensor TransformerBlock::attend(const Tensor& z, AttentionContext& context, ProbeView& seen) const {
  const std::int64_t batch = z.size(0), tokens = z.size(1), head_width = width_ / heads_;
  const Tensor all = query_key_value_(z, context.precision);
  // [B, L, heads, w], `count` heads from `first` on.
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return all.narrow(-1, first * head_width, count * head_width)
        .view({batch, tokens, count, head_width});
  };
  const auto placed = [&](Tensor x, const std::optional<ChannelNorm>& norm) {
    if (norm) x = norm_over_all_heads_ ? (*norm)(x.flatten(2)).view_as(x) : (*norm)(x);
    if (positions_ != ModelConfig::Positions::rotary) return x;
    x = x.to(z.scalar_type());
    if (!context.turns.cosine.defined()) context.turns = rotary_.turns(x, context.first_position);
    return rotary_(x, context.turns);
  };
  Tensor q = placed(part(0, heads_), query_norm_);
  Tensor k = placed(part(heads_, key_value_heads_), key_norm_);
  Tensor v = part(heads_ + key_value_heads_, key_value_heads_);
  // Keys or values of every head, of those that a group of heads shares.
  const auto spread = [&](const Tensor& x, std::int64_t dimension) {
    return key_value_heads_ == heads_ ? x
                                      : x.repeat_interleave(heads_ / key_value_heads_, dimension);
  };
  if (!context.caches && !context.probe && fused_attention_applies(all)) {
    const bool as_computed =
        !query_norm_ && positions_ != ModelConfig::Positions::rotary && key_value_heads_ == heads_;
    const Tensor side_by_side =
        as_computed
            ? all
            : torch::cat({q.flatten(2), spread(k, 2).flatten(2), spread(v, 2).flatten(2)}, -1);
    return output_(fused_attention(side_by_side, heads_, context.mask,
                                   distance_terms(q.transpose(1, 2), spread(k, 2).transpose(1, 2),
                                                  context.precision)),
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
  k = spread(k, 1);
  v = spread(v, 1);
  const DistanceTerms distances = distance_terms(q, k, context.precision);
  if (!context.bias.defined()) context.bias = context.mask.bias(tokens, k.size(2), z.options());
  if (!context.probe && device_attention_applies(q, distances))
    return output_(device_attention(q, k, v, context.bias, context.precision)
                       .transpose(1, 2)
                       .reshape({batch, tokens, width_}),
                   context.precision);
  const Attended attended = attention(q, k, v, context.bias, context.precision, distances);
  if (context.probe) {
    seen.queries = q.detach();
    seen.keys = k.detach();
    seen.values = v.detach();
    seen.weights = attended.weights.detach();
  }
  return output_(attended.values.transpose(1, 2).reshape({batch, tokens, width_}),
                 context.precision);
}

Tensor TransformerBlock::feed_forward(const Tensor& z, const AttentionContext& context,
                                      ProbeView& seen) const {
  Tensor hidden = in_(z, context.precision);
  if (context.probe) seen.inner = hidden.detach();
  switch (activation_) {
    case ModelConfig::Activation::relu:
      hidden = torch::relu(hidden);
      break;
    case ModelConfig::Activation::gelu:
      hidden = torch::gelu(hidden);
      break;
    case ModelConfig::Activation::swiglu: {
      const auto halves = hidden.chunk(2, -1);
      hidden = torch::silu(halves[0]) * halves[1];
      break;
    }
  }
  const Tensor computed = out_(hidden, context.precision);
  if (context.probe) {
    seen.hidden = hidden.detach();
    seen.computed = computed.detach();
  }
  return computed;
}

void AttentionContext::enter_block(std::int64_t samples) {
  if (layer_views.empty()) return;
  const Tensor& view = layer_views[std::min(executed, layer_views.size() - 1)];
  mask.open = view.expand({samples, view.size(0), view.size(1)});
  bias = Tensor();
}

Tensor TransformerBlock::operator()(const Tensor& h, AttentionContext& context) const {
  context.enter_block(h.size(0));
  ProbeView seen;
  seen.block = name_;
  if (context.probe) seen.before = h.detach();
  const Tensor attended = sublayer(h, attention_norm_, attention_scale_,
                                   [&](const Tensor& z) { return attend(z, context, seen); });
  const Tensor result = sublayer(attended, feed_forward_norm_, feed_forward_scale_,
                                 [&](const Tensor& z) { return feed_forward(z, context, seen); });
  if (context.probe) {
    seen.attended = attended.detach();
    seen.after = result.detach();
    (*context.probe)(seen);
  }
  ++context.executed;
  if (context.states) context.states->push_back(result);
  return result;
}

}  // namespace logdepth::inline learned_core
