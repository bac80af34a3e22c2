#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
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

/// Bytes of one element. Errors: InputError for a type that the format does not know.
std::size_t element_size(const std::string& type, const std::string& file);

/// Reads no array. Errors: InputError naming the file, the array and what was expected: among
/// others that the arrays fill the file, one after the other, without gaps.
SafeTensorsHeader read_safetensors_header(const FilePieces& file);
/// Errors: as above.
SafeTensors read_safetensors(const std::string& file);

/// Arrays and header keys in byte order of their names: equal contents give equal files.
void write_safetensors(const SafeTensors& content, const std::string& file);
/// The same for arrays that are not all in memory: of each place only type and shape are read, and
/// `bytes_of` is asked for one array after the other, whose bytes stay until it is asked again.
void write_safetensors(const SafeTensorsHeader& header,
                       const std::function<std::string_view(const std::string& name)>& bytes_of,
                       const std::string& file);

}}  // namespace logdepth::runtime_file
