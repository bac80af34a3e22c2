#pragma once

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace logdepth::inline runtime_file {

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

}  // namespace logdepth::inline runtime_file
