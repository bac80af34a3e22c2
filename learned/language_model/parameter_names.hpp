#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learned/language_model/model_settings.hpp"

namespace logdepth::inline learned_language_model {

/// Who names the arrays of a file.
enum class TensorNames {
  hugging_face,  ///< as in "model.layers.0.self_attn.q_proj.weight"
  gguf,          ///< as in "blk.0.attn_q.weight"
  run            ///< as in "initial.0.query_key_value.weight"
};

/// A parameter of the model, and the arrays of a file whose rows stand in it one after the other.
struct NamedParameter {
  struct Part {
    std::string tensor;
    std::vector<std::uint64_t> shape;
  };
  std::string name;  ///< "layers.0.query_key_value.weight": layers are counted through
  std::vector<Part> parts;
};

/// All parameters of a model, layer by layer; embedding, last norm and readout come first.
/// Precondition: vocabulary and tied are said.
std::vector<NamedParameter> named_parameters(const LanguageModelSettings& settings,
                                             TensorNames names);

}  // namespace logdepth::inline learned_language_model
