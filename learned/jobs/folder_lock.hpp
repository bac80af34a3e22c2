#pragma once

#include <optional>
#include <string>

namespace logdepth::inline learned_jobs {

/// The right to write in a folder, which one command has at a time: an advisory lock of the open
/// file `.lock` in it (F_OFD_SETLK). It ends with the last process that has the descriptor, however
/// that process ends; the file stays. It holds between machines where the file system has locks, as
/// NFS does; where there are none, that is said and nothing is locked.
class FolderLock {
 public:
  /// Makes the folder where there is none. Errors: InputError where it cannot be made, or another
  /// command has it: the sentence names the folder and that command's process.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;

  /// For a process that is started and is to hold it as well.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

/// The file that is locked.
std::string lock_file(const std::string& folder);

/// Who has the folder now, as "process 7 on node1, task 3 of Slurm's job 12"; absent where nobody.
/// Asking takes no lock.
std::optional<std::string> holder_of(const std::string& folder);

}  // namespace logdepth::inline learned_jobs
