#pragma once

#include <set>
#include <string>

#include "runtime/file/whole_file.hpp"

namespace logdepth { inline namespace runtime_file {

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

/// A folder that appears under its name only when it is complete: its files are written to a
/// temporary folder beside it, `commit` renames that, and an object that is dropped before leaves
/// nothing behind. A folder of that name is replaced as a whole, if all that is in it are files of
/// the names that are to be written. A symbolic link is followed.
class WholeFolder {
 public:
  /// `names`: of the files that may be replaced. Errors: InputError when `path` is something else
  /// than a folder, holds other files, or cannot be written beside.
  WholeFolder(const std::string& path, const std::set<std::string>& names);

  std::string file(const std::string& name) const { return temporary_.file(name); }
  /// Errors: InputError when the folder cannot be put in its place.
  void commit();

 private:
  std::string path_;
  bool replaces_ = false;
  OutputFolder around_;
  TemporaryFolder temporary_;
};

}}  // namespace logdepth::runtime_file
