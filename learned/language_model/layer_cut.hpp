#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learned/language_model/kneedle.hpp"

namespace logdepth::inline learned_language_model {

/// The layers of a pretrained decoder as an encoder, a block that thinks and a decoder.
struct LayerCut {
  std::uint32_t encoder = 0, think = 0, decoder = 0;
  /// Whether a size is that of a knee; else it is the fraction of the published cut.
  bool encoder_knee = false, decoder_knee = false;
  bool operator==(const LayerCut&) const = default;
};
/// "7-4-5".
std::string layer_cut_text(const LayerCut& cut);

/// Shares of the layers where a curve has no knee: those of 7-4-5.
inline constexpr double kEncoderShare = 7.0 / 16, kDecoderShare = 5.0 / 16;

/// The knees that a cut is made of.
struct CutKnees {
  std::optional<Knee> encoder;  ///< of the layers in their order: their first `at` are the encoder
  /// Of the layers from the last back to the last one of the encoder: as many are the decoder.
  std::optional<Knee> decoder;
};

/// The cut by distances[l], how far layer l turns the residual stream. Where a curve has no knee the
/// size is the rounded share, the decoder's less where the two leave no layer to think. (A knee
/// cannot: a parabola has it in the first half of the curve.) Precondition: at least one distance,
/// all finite.
LayerCut layer_cut(std::span<const double> distances);
/// The curve that the decoder is read off: the distances from the last layer back to the last one of
/// the encoder.
std::vector<double> decoder_curve(std::span<const double> distances);
/// For pictures and texts: where the knees are that layer_cut finds, used or not.
CutKnees cut_knees(std::span<const double> distances);

}  // namespace logdepth::inline learned_language_model
