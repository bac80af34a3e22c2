#pragma once

#include <string>

namespace logdepth::inline runtime_file {

/// A new folder of our own, so that no name can be guessed, removed with everything in it at the
/// end. For files only: a signal handler removes no folders inside.
class TemporaryFolder {
 public:
  /// In TMPDIR, or in /tmp without it. Errors: InputError when none can be made.
  TemporaryFolder();
  /// In this folder. Errors: the same.
  explicit TemporaryFolder(const std::string& inside);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Removes those in use; for the handler of an interruption.
void remove_temporary_folders() noexcept;

}  // namespace logdepth::inline runtime_file
