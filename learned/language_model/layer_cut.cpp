#include "learned/language_model/layer_cut.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace logdepth::inline learned_language_model {
namespace {

std::uint32_t share_of(std::size_t layers, double share) {
  return static_cast<std::uint32_t>(std::round(share * static_cast<double>(layers)));
}

LayerCut published_shares(std::size_t layers) {
  const auto all = static_cast<std::uint32_t>(layers);
  const std::uint32_t encoder = share_of(layers, kEncoderShare);
  const std::uint32_t decoder = std::min(share_of(layers, kDecoderShare), all - encoder - 1);
  return {encoder, all - encoder - decoder, decoder};
}

std::uint32_t encoder_size(const std::optional<Knee>& knee, std::size_t layers) {
  return knee ? static_cast<std::uint32_t>(knee->at) : published_shares(layers).encoder;
}

}  // namespace

std::string layer_cut_text(const LayerCut& cut) {
  return fmt::format("{}-{}-{}", cut.encoder, cut.think, cut.decoder);
}

std::vector<double> decoder_curve(std::span<const double> distances) {
  const std::uint32_t encoder = encoder_size(find_knee(distances), distances.size());
  const auto rest = distances.subspan(encoder == 0 ? 0 : encoder - 1);
  return {rest.rbegin(), rest.rend()};
}

CutKnees cut_knees(std::span<const double> distances) {
  return {find_knee(distances), find_knee(decoder_curve(distances))};
}

LayerCut layer_cut(std::span<const double> distances) {
  const auto layers = static_cast<std::uint32_t>(distances.size());
  const CutKnees knees = cut_knees(distances);
  const std::uint32_t encoder = encoder_size(knees.encoder, layers);
  const std::uint32_t decoder = knees.decoder ? static_cast<std::uint32_t>(knees.decoder->at)
                                              : published_shares(layers).decoder;
  return {encoder, layers - encoder - decoder, decoder, knees.encoder.has_value(),
          knees.decoder.has_value()};
}

}  // namespace logdepth::inline learned_language_model
