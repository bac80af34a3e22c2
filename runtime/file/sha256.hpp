#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace logdepth { inline namespace runtime_file {

class FilePieces;

/// SHA-256 of bytes that arrive in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// The hash of all bytes added, 64 hexadecimal digits. Ends the object's use.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256(std::string_view bytes);
/// Of a whole file, read piece by piece. Errors: InputError when it cannot be read.
std::string sha256(const FilePieces& file);

}}  // namespace logdepth::runtime_file
