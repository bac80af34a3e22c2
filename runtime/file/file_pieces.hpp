#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace logdepth::inline runtime_file {

/// A file that is read where it is needed, and never held in memory as a whole.
class FilePieces {
 public:
  /// Errors: InputError naming the path when it is no regular file or cannot be read.
  explicit FilePieces(std::string path);
  ~FilePieces();
  FilePieces(const FilePieces&) = delete;
  FilePieces& operator=(const FilePieces&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  /// Fills `out` with the bytes from `offset` on. Errors: InputError when the file ends before.
  void read(std::uint64_t offset, std::span<char> out) const;
  /// Calls `take` with the bytes [offset, offset + length), a piece at a time: at most kPiece bytes,
  /// a multiple of `unit` of them. Precondition: `unit` divides `length`.
  void for_each_piece(std::uint64_t offset, std::uint64_t length, std::size_t unit,
                      const std::function<void(std::string_view)>& take) const;

  static constexpr std::size_t kPiece = std::size_t{1} << 20;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace logdepth::inline runtime_file
