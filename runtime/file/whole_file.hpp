#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth { inline namespace runtime_file {

/// The bytes of a file. Errors: InputError naming the path when it is a directory, cannot be read,
/// or holds more than `limit` bytes.
[[nodiscard]] std::string read_whole_file(const std::string& path,
                                          std::size_t limit = std::size_t{1} << 30);

/// A file that appears under its name only when it is complete: bytes go to a temporary name in the
/// same folder, `commit` renames it, and an object that is dropped before leaves nothing behind.
/// A symbolic link is followed, also one to a file that is yet to be made. A target that exists and is not a regular file (a device, a pipe)
/// is written as it is: renaming would put a file in its place.
class OutputFile {
 public:
  /// Errors: InputError when the folder cannot be written, and when the file is the one that
  /// standard output or standard error goes to: it would be replaced under them.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return out_; }
  /// Errors: InputError when not every byte could be written, with the reason.
  void commit();

 private:
  class Bytes;
  [[noreturn]] void give_up(const std::string& reason);
  std::string path_, temporary_;
  std::unique_ptr<Bytes> bytes_;
  std::ostream out_;
};

/// Writes `bytes` to `path` through an OutputFile.
void write_whole_file(const std::string& path, std::string_view bytes);

/// Errors: InputError when `output` names the same regular file as one of `inputs`; empty names and
/// names of nothing do not count.
void refuse_overwriting(const std::string& output, const std::vector<std::string>& inputs);

/// Removes the temporary files of OutputFiles in flight; for the handler of an interruption.
void remove_unfinished_files() noexcept;

bool is_gzip(std::string_view bytes);
/// The text of gzip members, one after the other, with nothing after them; reading stops as soon as it is longer than
/// `limit`. `path` names the file in messages. Errors: InputError.
std::string unpacked(const std::string& bytes, const std::string& path, std::size_t limit);
/// The same text gives the same bytes on every machine.
std::string packed(const std::string& text);

/// The text of a file that a user gives, packed by gzip or not, without a byte order mark. Errors: as
/// read_whole_file, and InputError for damaged gzip data and for UTF-16 and UTF-32, which are named.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::size_t limit = std::size_t{1} << 30);

/// The same of standard input.
[[nodiscard]] std::string read_standard_input(std::size_t limit = std::size_t{1} << 30);

/// For parsers that make a tree of a JSON text, which is copied and printed by recursion. Errors:
/// InputError where arrays and objects are nested deeper than 256 levels.
void require_shallow_json(std::string_view text, const std::string& source);

/// The bytes of a file that such a parser is to read, JSON or not. Errors: as read_whole_file, and
/// as above.
[[nodiscard]] std::string read_json_file(const std::string& path,
                                         std::size_t limit = std::size_t{1} << 30);

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

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// The folder that a command writes to, made where it is missing, with the ones above it. Of those
/// that were made the empty ones are removed at the end: what failed leaves none behind.
class OutputFolder {
 public:
  /// Errors: InputError when it is something else than a folder, or cannot be made.
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

 private:
  void remove_empty() const;

  std::vector<std::filesystem::path> made_;  // the innermost first
};

/// Of those in use; for the handler of an interruption.
void remove_empty_output_folders() noexcept;

}}  // namespace logdepth::runtime_file
