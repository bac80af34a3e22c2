#include "learned/jobs/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "logdepth/errors.hpp"
#include "runtime/file/output_folder.hpp"
#include "runtime/file/whole_file.hpp"

namespace logdepth::inline learned_jobs {
namespace {

struct flock whole_file() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

std::string this_process() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string text = fmt::format("process {} on {}", getpid(), host);
  const char *const job = getenv("SLURM_ARRAY_JOB_ID"), *const task = getenv("SLURM_ARRAY_TASK_ID");
  if (job && task) text += fmt::format(", task {} of Slurm's job {}", task, job);
  return text;
}

/// What the holder wrote after it had the lock; a reader may be faster.
std::string written_holder(const std::string& file) {
  const std::string text = read_whole_file(file);
  return text.empty() ? "another process" : text.substr(0, text.find('\n'));
}

}  // namespace

std::string lock_file(const std::string& folder) {
  return folder + "/.lock";
}

FolderLock::FolderLock(const std::string& folder) {
  std::optional<OutputFolder> made_folders;  // go again where no lock stays in them
  try {
    made_folders.emplace(folder);
  } catch (const InputError&) {
    throw InputError(folder + ": expected a folder that can be made");
  }
  const std::string file = lock_file(folder);
  int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  const bool made = descriptor >= 0;
  if (!made) descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw InputError(file + ": cannot be written: " + std::strerror(errno));
  struct flock lock = whole_file();
  if (fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
    const int reason = errno;
    if (reason == EAGAIN || reason == EACCES) {
      close(descriptor);
      throw InputError(folder + ": another command is at work there (" + written_holder(file) +
                       "); wait for its end, or choose another --out");
    }
    std::cerr << "logdepth: " << folder << " cannot be locked (" << std::strerror(reason)
              << "); take care that no other command works there\n";
  }
  // Up to the line break first, so that a reader never sees less than a holder.
  const std::string holder = this_process() + "\n";
  const auto size = static_cast<ssize_t>(holder.size());
  const ssize_t written = write(descriptor, holder.data(), holder.size());
  if (written != size || ftruncate(descriptor, size) != 0) {
    const int reason = written >= 0 && written < size ? ENOSPC : errno;
    if (made) unlink(file.c_str());  // before the lock ends: nobody else has it
    close(descriptor);
    throw InputError(file + ": cannot be written: " + std::strerror(reason));
  }
  descriptor_ = descriptor;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

std::optional<std::string> holder_of(const std::string& folder) {
  const std::string file = lock_file(folder);
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct flock lock = whole_file();
  const bool held = fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(descriptor);
  return held ? std::optional(written_holder(file)) : std::nullopt;
}

}  // namespace logdepth::inline learned_jobs
