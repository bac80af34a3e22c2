#include "runtime/file/temporary_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_file {
namespace {

/// Folders that a signal handler may remove: fixed storage. A fifth one at once, or one with a
/// very long name, is simply not listed.
constexpr std::size_t kListed = 4;
std::array<std::array<char, 4096>, kListed> listed{};
std::mutex listing;

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
  const std::lock_guard lock(listing);
  // Made under the name in the list, so that none is ever forgotten.
  char* name = path_.data();
  for (auto& slot : listed)
    if (slot[0] == 0 && path_.size() < slot.size()) {
      name = slot.data();
      std::memcpy(name, path_.c_str(), path_.size() + 1);
      break;
    }
  if (mkdtemp(name) == nullptr) {
    const int reason = errno;
    if (name != path_.data()) *name = 0;
    throw InputError(inside + ": no temporary folder can be made there (" + std::strerror(reason) +
                     ")");
  }
  if (name != path_.data()) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  const std::lock_guard lock(listing);
  for (auto& slot : listed)
    if (path_ == slot.data()) slot[0] = 0;
}

void remove_temporary_folders() noexcept {
  constexpr int kTries = 100;  // other threads may be writing there
  for (auto& slot : listed) {
    const int folder = slot[0] != 0 ? open(slot.data(), O_RDONLY | O_DIRECTORY) : -1;
    if (folder < 0) continue;
    for (int i = 0; i < kTries && rmdir(slot.data()) != 0; ++i) {
      lseek(folder, 0, SEEK_SET);
      remove_files(folder);
    }
    close(folder);
  }
}

}  // namespace logdepth::inline runtime_file
