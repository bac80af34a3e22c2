#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace logdepth::inline runtime_file {

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
  void list() const;
  void remove_empty() const;

  std::vector<std::filesystem::path> made_;  // the innermost first
};

/// Of those in use; for the handler of an interruption.
void remove_empty_output_folders() noexcept;

}  // namespace logdepth::inline runtime_file
