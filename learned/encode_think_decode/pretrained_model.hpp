#pragma once

#include <cstdint>
#include <string>

#include "learned/language_model/layer_cut.hpp"
#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_encode_think_decode {

/// A pretrained model as mid-training needs to know it.
struct PretrainedModel {
  std::string path;
  ModelConfig model;  ///< all layers initial
  std::uint32_t vocabulary = 0, context = 0;
};
/// Of a GGUF file, the folder of a model, or the folder of a training run. Errors: InputError where
/// it is none, or the model has a loop already.
PretrainedModel read_pretrained_model(const std::string& path);

/// "3-2-3", or the cut of a file that `lm angular` writes. Errors: InputError naming the option or
/// the file.
LayerCut read_layer_cut(const std::string& text, const std::string& option);

}  // namespace logdepth::inline learned_encode_think_decode
