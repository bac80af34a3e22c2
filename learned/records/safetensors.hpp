#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace logdepth {

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

/// Bytes of one element. Errors: InputError for a type that the format does not know.
std::size_t element_size(const std::string& type, const std::string& file);

/// Errors: InputError naming the file and what was expected.
SafeTensors read_safetensors(const std::string& file);
/// Arrays and header keys in byte order of their names: equal contents give equal files.
void write_safetensors(const SafeTensors& content, const std::string& file);

}  // namespace logdepth
