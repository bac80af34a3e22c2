#include "runtime/file/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "logdepth/errors.hpp"
#include "runtime/file/signal_list.hpp"

namespace logdepth { inline namespace runtime_file {
namespace {

SignalList listed;

/// Files of the folder, which has no folders inside, by what a signal handler may call: opendir
/// asks for memory.
void remove_files(int folder) noexcept {
  alignas(std::uint64_t) std::array<char, 4096> entries{};
  for (long read = 0; (read = syscall(SYS_getdents64, folder, entries.data(), entries.size())) > 0;)
    for (long at = 0; at < read;) {
      std::uint16_t length = 0;
      std::memcpy(&length, entries.data() + at + offsetof(dirent64, d_reclen), sizeof length);
      unlinkat(folder, entries.data() + at + offsetof(dirent64, d_name), 0);
      at += length;
    }
}

std::string folder_for_temporary_files() {
  const char* const chosen = std::getenv("TMPDIR");
  return chosen && *chosen ? chosen : "/tmp";
}

}  // namespace

TemporaryFolder::TemporaryFolder() try : TemporaryFolder(folder_for_temporary_files()) {
} catch (const InputError& error) {
  throw InputError(error.what() + std::string("; set TMPDIR to a folder that can be written"));
}

TemporaryFolder::TemporaryFolder(const std::string& inside) : path_(inside + "/logdepth-XXXXXX") {
  // Made under the name in the list, so that none is ever forgotten.
  SignalList::Slot* const slot = listed.add(path_);
  char* const name = slot ? slot->path.data() : path_.data();
  if (mkdtemp(name) == nullptr) {
    const int reason = errno;
    if (slot) slot->levels = 0;
    throw InputError(inside + ": no temporary folder can be made there (" + std::strerror(reason) +
                     ")");
  }
  if (slot) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  listed.drop(path_);
}

void remove_temporary_folders() noexcept {
  constexpr int kTries = 100;  // other threads may be writing there
  for (const auto& slot : listed.slots) {
    const char* const path = slot.path.data();
    const int folder = slot.levels > 0 ? open(path, O_RDONLY | O_DIRECTORY) : -1;
    if (folder < 0) continue;
    for (int i = 0; i < kTries && rmdir(path) != 0; ++i) {
      lseek(folder, 0, SEEK_SET);
      remove_files(folder);
    }
    close(folder);
  }
}

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

}}  // namespace logdepth::runtime_file
