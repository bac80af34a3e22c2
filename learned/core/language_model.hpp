#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "learned/core/universal_transformer.hpp"
#include "learned/language_model/model_file.hpp"

namespace logdepth::inline learned_core {

/// How samples of a language model look: each token is answered by the next one.
TaskFormat language_format(std::uint32_t vocabulary);

/// Reads the numbers of a language model into those of the universal transformer that `config`
/// describes: its layer i, counted through the initial, repeated and final ones, begins as layer
/// `layers[i]` of the file; empty: one to one. A halting router, of which the file knows nothing,
/// stays as it was drawn. Errors: InputError, before any number is read, where layers do not fit,
/// a setting that decides what a layer computes is not the file's, or a shape is another; InputError
/// of the file.
void load_language_model(Parameters& parameters, const ModelConfig& config,
                         const LanguageModelFile& file, const std::vector<std::uint32_t>& layers);

/// The model of a file as a network, looped as the file says; UniversalTransformer::cut loops it in
/// another way.
/// Errors: InputError where it is larger than the memory that is left, and of the file.
std::unique_ptr<UniversalTransformer> open_language_model(const LanguageModelFile& file,
                                                          torch::Device device = torch::kCPU,
                                                          Purpose purpose = Purpose::loaded);

}  // namespace logdepth::inline learned_core
