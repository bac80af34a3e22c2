#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "learned/language_model/tensor_encodings.hpp"
#include "runtime/file/file_pieces.hpp"

namespace logdepth::inline learned_language_model {

/// An array of a file, not yet read.
struct StoredTensor {
  std::shared_ptr<const FilePieces> file;
  std::string name;
  TensorEncoding encoding = TensorEncoding::f32;
  std::vector<std::uint64_t> shape;  ///< row-major, the last dimension is contiguous
  std::uint64_t offset = 0;          ///< of the first byte in the file
};

/// The number of bytes of so many numbers. Precondition: they are whole blocks.
std::uint64_t stored_bytes(TensorEncoding encoding, std::uint64_t numbers);
/// "[49152, 576]".
std::string shape_text(const std::vector<std::uint64_t>& shape);

/// Puts all numbers of `tensor` at the end of `values`. Errors: InputError naming file and tensor
/// where one is not finite.
void append_values(const StoredTensor& tensor, std::vector<float>& values);

}  // namespace logdepth::inline learned_language_model
