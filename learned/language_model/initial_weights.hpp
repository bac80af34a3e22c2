#pragma once

#include <string>

#include "learned/records/training_config.hpp"

namespace logdepth::inline learned_language_model {

/// Whether a path is that of a language model, a folder or a GGUF file; else it may be one of the
/// weights of a run.
bool is_language_model(const std::string& path);

/// What becomes of a language model in this machine's memory.
enum class ModelUse {
  named,   ///< nothing: the run is another machine's
  read,    ///< its numbers, on their way to a device
  trained  ///< its numbers, their gradients and AdamW's two moments
};

/// Looks at what a run begins with before anything is allocated. Errors: InputError where
/// RunConfig::initial_weights is no file, or a language model that cannot be read or needs more than
/// the memory that is left, and where initial_layers stand beside the weights of a run.
void check_initial_weights(const RunConfig& config, ModelUse use);

}  // namespace logdepth::inline learned_language_model
