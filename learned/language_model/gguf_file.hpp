#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "learned/language_model/stored_tensor.hpp"

namespace logdepth::inline learned_language_model {

/// A value of the metadata. Integers of all sizes are the two large ones, both kinds of floats are
/// double.
struct GgufValue;
using GgufArray =
    std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<bool>, std::vector<std::string>, std::vector<GgufValue>>;
struct GgufValue {
  std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray> value;
};

/// The header of a GGUF file of version 3: metadata by key, and where the tensors are.
struct GgufFile {
  std::shared_ptr<const FilePieces> file;
  std::map<std::string, GgufValue> metadata;
  std::map<std::string, StoredTensor> tensors;
};

/// Reads no tensor. Errors: InputError naming the file, the key or tensor, and what was expected:
/// among others that the tensors fill the file, one after the other, but for their alignment.
GgufFile read_gguf(const std::string& file);

}  // namespace logdepth::inline learned_language_model
