#include "runtime/file/whole_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_file {
namespace {

namespace fs = std::filesystem;

/// Without its last slash, links followed.
std::string place_of(const std::string& path) {
  std::error_code failed;
  const fs::path place = fs::weakly_canonical(fs::absolute(path), failed);
  if (failed || !place.has_parent_path())
    throw InputError(path + ": expected the name of a folder");
  return place.has_filename() ? place.string() : place.parent_path().string();
}

}  // namespace

WholeFolder::WholeFolder(const std::string& path, const std::set<std::string>& names)
    : path_(place_of(path)),
      around_(fs::path(path_).parent_path().string()),
      temporary_(fs::path(path_).parent_path().string()) {
  std::error_code failed;
  if (!fs::exists(path_, failed)) return;
  if (!fs::is_directory(path_, failed)) throw InputError(path + ": expected the name of a folder");
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename();
    if (!names.contains(name))
      throw InputError(path +
                       ": expected a new folder, an empty one or an earlier export; it holds '" +
                       name + "'");
    replaces_ = true;
  }
}

void WholeFolder::commit() {
  // As a folder made in the ordinary way: mkdtemp leaves it to its owner alone.
  const mode_t mask = umask(0);
  umask(mask);
  chmod(temporary_.path().c_str(), 0777 & ~mask);
  // What was there goes with the temporary folder.
  const int failed = replaces_ ? renameat2(AT_FDCWD, temporary_.path().c_str(), AT_FDCWD,
                                           path_.c_str(), RENAME_EXCHANGE)
                               : std::rename(temporary_.path().c_str(), path_.c_str());
  if (failed != 0)
    throw InputError(path_ + ": cannot be put in its place: " + std::strerror(errno));
}

}  // namespace logdepth::inline runtime_file
