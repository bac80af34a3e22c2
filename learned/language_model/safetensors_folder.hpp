#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "learned/language_model/stored_tensor.hpp"

namespace logdepth::inline learned_language_model {

/// The arrays of a folder with a `model.safetensors`, or with the files that a
/// `model.safetensors.index.json` names. As elsewhere the single file counts where both are there.
struct SafetensorsFolder {
  std::string list;  ///< the file that says what arrays there are, for messages
  std::vector<std::shared_ptr<const FilePieces>> files;
  std::map<std::string, StoredTensor> tensors;
};

/// Reads headers only. Errors: InputError naming file and array, for other encodings than F32, F16
/// and BF16, and for an array that is not in the file, or in another than the index says.
SafetensorsFolder read_safetensors_folder(const std::string& folder);

}  // namespace logdepth::inline learned_language_model
