#pragma once

#include <map>
#include <string>

#include "learned/core/parameters.hpp"

namespace logdepth::inline learned_core {

/// Tensors by name and text by key, as a safetensors file.
struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Errors of reading: InputError naming the file and what was expected.
TensorFile read_tensor_file(const std::string& file);
void write_tensor_file(const TensorFile& content, const std::string& file);

/// All parameters by name.
std::map<std::string, Tensor> named_tensors(const Parameters& parameters);
/// Overwrites every parameter. Errors: InputError where a name is missing, unknown or has another
/// shape, or a number is not finite.
void load_parameters(Parameters& parameters, const std::map<std::string, Tensor>& tensors,
                     const std::string& file);

}  // namespace logdepth::inline learned_core
