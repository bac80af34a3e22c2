#include "runtime/file/file_pieces.hpp"
#include "runtime/file/sha256.hpp"

namespace logdepth::inline runtime_file {

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256(const FilePieces& file) {
  Sha256 hash;
  file.for_each_piece(0, file.size(), 1, [&](std::string_view bytes) { hash.add(bytes); });
  return hash.hex();
}

}  // namespace logdepth::inline runtime_file
