#include "learned/encode_think_decode/think_shape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/quoted_text.hpp"
#include "logdepth/errors.hpp"

namespace logdepth::inline learned_encode_think_decode {
namespace {

using Block = ThinkShape::Block;
using Router = ModelConfig::Router;

constexpr std::uint32_t kMostLayers = 512;  // as many as a model may have

/// Passes of a block that may be asked for, by whatever option.
constexpr std::uint32_t kMostPasses = 64;

/// Takes a number of at most nine digits off the front.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::size_t digits = 0;
  std::uint32_t value = 0;
  while (digits < text.size() && digits < 10 &&
         std::isdigit(static_cast<unsigned char>(text[digits])))
    value = 10 * value + static_cast<std::uint32_t>(text[digits++] - '0');
  if (digits == 0 || digits > 9) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view marks) {
  if (text.empty() || marks.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// The shape that the text spells, whatever its numbers are.
std::optional<ThinkShape> spelt_shape(std::string_view text) {
  ThinkShape shape;
  const auto number = [&](std::uint32_t& value) {
    const std::optional<std::uint32_t> taken = take_number(text);
    if (taken) value = *taken;
    return taken.has_value();
  };
  if (!number(shape.encoder) || !take(text, "-") || !number(shape.think)) return std::nullopt;
  if (take(text, "*x")) {
    if (!number(shape.passes)) return std::nullopt;
  } else {
    while (take(text, "+")) {
      std::uint32_t copy = 0;
      if (!number(copy) || copy != shape.think) return std::nullopt;
      shape.block = Block::untied;
      ++shape.passes;
    }
  }
  if (!take(text, "-") || !number(shape.decoder) || !text.empty()) return std::nullopt;
  return shape;
}

/// Smaller and larger blocks: `step` layers more or fewer at either end.
std::vector<ThinkShape> sizes_around(const LayerCut& cut) {
  const auto step =
      static_cast<std::int64_t>(std::max(1U, (cut.encoder + cut.think + cut.decoder) / 16));
  std::vector<ThinkShape> shapes;
  for (const std::int64_t steps : {-1, 0, 1, 2}) {
    const std::int64_t more = steps * step;
    if (more > cut.encoder || more > cut.decoder || cut.think + 2 * more < 1) continue;
    const LayerCut other{static_cast<std::uint32_t>(cut.encoder - more),
                         static_cast<std::uint32_t>(cut.think + 2 * more),
                         static_cast<std::uint32_t>(cut.decoder - more), false, false};
    shapes.push_back(looped_shape(other, 2));
  }
  return shapes;
}

}  // namespace

ThinkShape looped_shape(const LayerCut& cut, std::uint32_t passes) {
  return {cut.encoder, cut.think, cut.decoder, Block::looped, passes, Router::none};
}

ThinkShape parse_think_shape(const std::string& text, const std::string& option) {
  const std::optional<ThinkShape> shape = spelt_shape(text);
  if (!shape)
    throw InputError(option +
                     ": expected a shape as 3-2*2-3, or 3-2+2-3 with layers of their own, "
                     "found " +
                     in_quotes(text));
  if (shape->think == 0 || shape->passes == 0)
    throw InputError(
        fmt::format("{}: expected at least one layer in the block and one pass, found {}", option,
                    in_quotes(text)));
  if (shape->passes > kMostPasses)
    throw InputError(fmt::format("{}: expected at most {} passes, found {}", option, kMostPasses,
                                 in_quotes(text)));
  const std::uint64_t copies = shape->block == Block::untied ? shape->passes : 1;
  if (std::uint64_t{shape->encoder} + shape->think * copies + shape->decoder > kMostLayers)
    throw InputError(fmt::format("{}: expected at most {} layers, found {}", option, kMostLayers,
                                 in_quotes(text)));
  return *shape;
}

LayerCut parse_layer_cut(const std::string& text, const std::string& option) {
  const std::optional<ThinkShape> shape = spelt_shape(text);
  if (!shape || text.find_first_of("*x+") != std::string::npos)
    throw InputError(option + ": expected a cut as 3-2-3, found " + in_quotes(text));
  if (shape->think == 0)
    throw InputError(option + ": expected at least one layer in the block, found " +
                     in_quotes(text));
  return {shape->encoder, shape->think, shape->decoder, false, false};
}

const char* router_name(Router router) {
  switch (router) {
    case Router::none:
      return "none";
    case Router::straight_through:
      return "straight-through";
    case Router::mixture:
      return "mixture";
    case Router::untrained:
      break;
  }
  return "untrained";
}

std::string shape_name(const ThinkShape& shape) {
  std::string block = std::to_string(shape.think);
  if (shape.block == Block::looped) {
    block += "x" + std::to_string(shape.passes);
  } else if (shape.block == Block::untied) {
    for (std::uint32_t copy = 1; copy < shape.passes; ++copy)
      block += "+" + std::to_string(shape.think);
  }
  std::string name = fmt::format("{}-{}-{}", shape.encoder, block, shape.decoder);
  if (shape.block == Block::adaptive) name += std::string("-") + router_name(shape.router);
  return name;
}

void set_think_shape(RunConfig& config, const ThinkShape& shape) {
  ModelConfig& model = config.model;
  if (shape.layers() != model.initial)
    throw InputError(fmt::format("{}: expected {} layers in all, as the model has, found {}",
                                 shape_name(shape), model.initial, shape.layers()));
  model.initial = shape.encoder;
  model.repeated = shape.think;
  model.final = shape.decoder;
  model.loops = {LoopRule::Kind::fixed, 1, 1};
  if (shape.block == Block::looped) {
    model.loops.least = model.loops.most = shape.passes;
  } else if (shape.block == Block::adaptive) {
    model.loops = {LoopRule::Kind::adaptive, 1, shape.passes};
    model.router = shape.router;
  } else {
    model.repeated = shape.think * shape.passes;
    const auto add = [&](std::uint32_t first, std::uint32_t count) {
      for (std::uint32_t layer = first; layer < first + count; ++layer)
        config.initial_layers.push_back(layer);
    };
    add(0, shape.encoder);
    for (std::uint32_t copy = 0; copy < shape.passes; ++copy) add(shape.encoder, shape.think);
    add(shape.encoder + shape.think, shape.decoder);
  }
}

std::vector<ThinkShape> series_shapes(ShapeSeries series, const LayerCut& cut) {
  const std::uint32_t layers = cut.encoder + cut.think + cut.decoder;
  std::vector<ThinkShape> shapes = {looped_shape(cut, 1)};
  const auto add = [&](std::uint32_t encoder, std::uint32_t think) {
    shapes.push_back(looped_shape({encoder, think, layers - encoder - think, false, false}, 2));
  };
  switch (series) {
    case ShapeSeries::adaptive:
    case ShapeSeries::loops:
      for (std::uint32_t passes = 2; passes <= 5; ++passes)
        shapes.push_back(looped_shape(cut, passes));
      if (series == ShapeSeries::loops) break;
      for (const Router router : {Router::straight_through, Router::mixture, Router::untrained})
        shapes.push_back(
            {cut.encoder, cut.think, cut.decoder, Block::adaptive, kAdaptivePasses, router});
      break;
    case ShapeSeries::position: {
      // Of 16 layers and a block of 4: behind 1, 3, 5, 7, 9 and 11 layers.
      const std::uint32_t step = std::max(1U, (layers - cut.think) / 6);
      for (std::uint32_t encoder = 1; encoder + cut.think < layers; encoder += step)
        add(encoder, cut.think);
      break;
    }
    case ShapeSeries::size:
      for (const ThinkShape& shape : sizes_around(cut)) shapes.push_back(shape);
      break;
    case ShapeSeries::alternatives:
      shapes.push_back(looped_shape(cut, 2));
      if (layers > 4) add(2, layers - 4);
      add(0, layers);
      break;
    case ShapeSeries::untied:
      shapes.push_back(looped_shape(cut, 2));
      shapes.push_back({cut.encoder, cut.think, cut.decoder, Block::untied, 2, Router::none});
      break;
  }
  return shapes;
}

}  // namespace logdepth::inline learned_encode_think_decode
