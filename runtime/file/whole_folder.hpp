#pragma once

#include <set>
#include <string>

#include "runtime/file/output_folder.hpp"
#include "runtime/file/temporary_folder.hpp"

namespace logdepth::inline runtime_file {

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

}  // namespace logdepth::inline runtime_file
