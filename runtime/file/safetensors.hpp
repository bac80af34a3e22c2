#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace runtime_file {

/// Named arrays in the safetensors format: eight bytes of header length (little-endian), a JSON
/// header, the bytes of the arrays one after the other.
struct SafeTensor {
  std::string type;                  ///< "F32", "F64", "BF16", "I64", ...
  std::vector<std::uint64_t> shape;  ///< row-major
  std::string bytes;
};
struct SafeTensors {
  std::map<std::string, SafeTensor> arrays;
  std::map<std::string, std::string> metadata;  ///< `__metadata__`
};

/// The header of a file: where its arrays are.
struct SafeTensorPlace {
  std::string type;
  std::vector<std::uint64_t> shape;
  std::uint64_t offset = 0, size = 0;  ///< bytes, from the beginning of the file
};
struct SafeTensorsHeader {
  std::map<std::string, SafeTensorPlace> arrays;
  std::map<std::string, std::string> metadata;
};

/// Reads no array. Errors: InputError naming the file, the array and what was expected: among
/// others that the arrays fill the file, one after the other, without gaps.
SafeTensorsHeader read_safetensors_header(const FilePieces& file);
/// Errors: as above.
SafeTensors read_safetensors(const std::string& file);

/// Arrays and header keys in byte order of their names: equal contents give equal files.
void write_safetensors(const SafeTensors& content, const std::string& file);

}}  // namespace logdepth::runtime_file
