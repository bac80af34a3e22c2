#include "learned/relit/recursive_block_network.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "logdepth/errors.hpp"

namespace logdepth::inline learned_relit {
namespace {

/// Deviation of z at the beginning, and of step embeddings.
constexpr double kSmallDeviation = 0.02;
/// Hidden channels are a multiple of this.
constexpr std::uint32_t kHiddenMultiple = 64;

/// x times some columns of a matrix, those of the part `index` of its concatenated input.
Tensor part_product(const Tensor& matrix, std::int64_t index, const Tensor& x,
                    TrainingConfig::Precision precision) {
  const std::int64_t width = x.size(-1);
  return Linear(matrix.narrow(1, index * width, width))(x, precision);
}

Tensor chosen(const Tensor& tensor, const Tensor& rows) {
  return tensor.defined() ? tensor.index_select(0, rows) : tensor;
}

Tensor detached_or_nothing(const Tensor& tensor) {
  return tensor.defined() ? tensor.detach() : tensor;
}

}  // namespace

Anchor Anchor::detached() const {
  return {product.detach(), detached_or_nothing(keys), detached_or_nothing(values), mask,
          precision};
}

Anchor Anchor::of(const Tensor& rows) const {
  Anchor part{chosen(product, rows), chosen(keys, rows), chosen(values, rows), mask, precision};
  part.mask.lengths = chosen(mask.lengths, rows);
  return part;
}

ModelConfig RecursiveBlock::shape_of(const RelitSettings& settings,
                                     const ModelConfig& backbone) const {
  const std::uint32_t width = backbone.width;
  if (width % settings.heads != 0 || width / settings.heads % 2 != 0)
    throw InputError(
        fmt::format("network.heads: expected heads of an even width in the backbone's {}, found {}",
                    width, settings.heads));
  ModelConfig shape;
  shape.width = width;
  shape.heads = settings.heads;
  shape.hidden = settings.hidden > 0
                     ? settings.hidden
                     : (width * 8 / 3 + kHiddenMultiple - 1) / kHiddenMultiple * kHiddenMultiple;
  shape.norm = ModelConfig::NormKind::rmsnorm;
  shape.norm_epsilon = backbone.norm_epsilon;
  shape.activation = ModelConfig::Activation::swiglu;
  shape.bias = false;
  shape.positions = ModelConfig::Positions::rotary;
  shape.rotary_base = backbone.rotary_base;
  shape.rotary_pairs = backbone.rotary_pairs;
  return shape;
}

RecursiveBlock::RecursiveBlock(Parameters& parameters, const RelitSettings& settings,
                               const ModelConfig& backbone)
    : settings_(settings),
      shape_(shape_of(settings, backbone)),
      rotary_{shape_.rotary_base, shape_.rotary_pairs},
      concatenation_(parameters.add("concatenation.weight",
                                    {shape_.width, 3 * std::int64_t{shape_.width}},
                                    Initial::xavier())),
      answer_(parameters.add("answer.weight", {shape_.width, 2 * std::int64_t{shape_.width}},
                             Initial::xavier())),
      step_embedding_(parameters.add("step_embedding",
                                     {std::int64_t{settings.latent_steps}, shape_.width},
                                     Initial::normal(kSmallDeviation))) {
  for (std::uint32_t i = 0; i < settings.layers; ++i)
    blocks_.emplace_back(parameters, fmt::format("block.{}", i), shape_, Tensor());
  const std::int64_t width = shape_.width;
  z_norm_ = ChannelNorm(parameters, "z_norm", width, shape_);
  y_norm_ = ChannelNorm(parameters, "y_norm", width, shape_);
  if (settings.z_start == RelitSettings::ZStart::gaussian) {
    z_mean_ = parameters.add("z_start.mean", {width}, Initial::constant(0));
    z_log_deviation_ = parameters.add("z_start.log_deviation", {width},
                                      Initial::constant(std::log(kSmallDeviation)));
  }
  if (settings.cross_attention)
    cross_ = CrossAttention{ChannelNorm(parameters, "cross.norm", width, shape_),
                            ChannelNorm(parameters, "cross.prompt_norm", width, shape_),
                            Linear(parameters, "cross.query", width, width, false),
                            Linear(parameters, "cross.key_value", width, 2 * width, false),
                            Linear(parameters, "cross.output", width, width, false)};
}

Tensor RecursiveBlock::by_head(const Tensor& x) const {
  return x.view({x.size(0), x.size(1), shape_.heads, -1}).transpose(1, 2);
}

Anchor RecursiveBlock::anchor(const Tensor& x, const Tensor& embeddings, const Tensor& lengths,
                              TrainingConfig::Precision precision) const {
  Anchor anchor;
  anchor.product = part_product(concatenation_, 0, x, precision);
  anchor.mask.causal = true;
  anchor.mask.lengths = lengths;
  anchor.precision = precision;
  if (!cross_) return anchor;
  const auto parts = cross_->key_value(cross_->prompt_norm(embeddings), precision).chunk(2, -1);
  anchor.keys = rotary_(parts[0].unflatten(-1, {shape_.heads, -1}), 0).transpose(1, 2);
  anchor.values = by_head(parts[1].contiguous());
  return anchor;
}

ReasoningStates RecursiveBlock::begin(const Tensor& x, const Tensor& noise) const {
  switch (settings_.z_start) {
    case RelitSettings::ZStart::gaussian: {
      const Tensor mean = z_mean_.expand_as(x);
      return {x, noise.defined() ? mean + z_log_deviation_.exp() * noise : mean};
    }
    case RelitSettings::ZStart::zero:
      return {x, torch::zeros_like(x)};
    case RelitSettings::ZStart::from_x:
      break;
  }
  return {x, x};
}

Tensor RecursiveBlock::through(Tensor h, const Anchor& anchor) const {
  AttentionContext context;
  context.mask = anchor.mask;
  context.precision = anchor.precision;
  for (const TransformerBlock& block : blocks_) h = block(h, context);
  return h;
}

Tensor RecursiveBlock::found(const Tensor& h, const Anchor& anchor) const {
  const Tensor query = cross_->query(cross_->norm(h), anchor.precision);
  const Tensor placed = rotary_(query.unflatten(-1, {shape_.heads, -1}), 0).transpose(1, 2);
  const std::int64_t tokens = h.size(1);
  const Attended attended =
      attention(placed, anchor.keys, anchor.values, anchor.mask.bias(tokens, tokens, h.options()),
                anchor.precision);
  return cross_->output(attended.values.transpose(1, 2).flatten(2), anchor.precision);
}

Tensor RecursiveBlock::next_y(const Tensor& y, const Tensor& z, const Anchor& anchor) const {
  Tensor change =
      part_product(answer_, 0, y, anchor.precision) + part_product(answer_, 1, z, anchor.precision);
  if (settings_.update_y == RelitSettings::UpdateY::block) change = through(change, anchor);
  return y_norm_(y + change);
}

ReasoningStates RecursiveBlock::operator()(ReasoningStates states, const Anchor& anchor) const {
  auto& [y, z] = states;
  Tensor known;  // what a latent step adds the products of z and its step to
  for (std::uint32_t step = 0; step < settings_.latent_steps; ++step) {
    if (step == 0 || settings_.y_every_latent)
      known = anchor.product + part_product(concatenation_, 1, y, anchor.precision);
    Tensor h = known + part_product(concatenation_, 2, z, anchor.precision) +
               step_embedding_[static_cast<std::int64_t>(step)];
    if (cross_) h = h + found(h, anchor);
    Tensor result = through(h, anchor);
    if (settings_.subtract_input) result = result - h;
    z = z_norm_(settings_.replace ? result : z + result);
    if (settings_.y_every_latent) y = next_y(y, z, anchor);
  }
  if (!settings_.y_every_latent) y = next_y(y, z, anchor);
  return states;
}

}  // namespace logdepth::inline learned_relit
