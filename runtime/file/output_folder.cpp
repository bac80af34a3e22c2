#include "runtime/file/output_folder.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "logdepth/errors.hpp"

namespace logdepth::inline runtime_file {

namespace fs = std::filesystem;

namespace {

/// Folders that were made, for a signal handler: fixed storage. A fifth one at once, or one with a very
/// long name, is simply not listed.
struct Made {
  std::array<char, 4096> innermost;
  std::size_t levels;
};
std::array<Made, 4> made_folders{};
std::mutex making;

}  // namespace

OutputFolder::OutputFolder(const std::string& path) {
  std::error_code error;
  for (fs::path at = fs::absolute(path).lexically_normal(); !fs::exists(at, error);
       at = at.parent_path())
    if (at.has_filename()) made_.push_back(at);
  list();  // before there is a folder, so that none is ever forgotten
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) return;
  remove_empty();  // a constructor that throws has no destructor to do it
  throw InputError(path + ": expected the name of a folder that can be made: " + error.message());
}

void OutputFolder::list() const {
  if (made_.empty()) return;
  const std::string& innermost = made_.front().native();
  const std::lock_guard lock(making);
  for (Made& slot : made_folders)
    if (slot.levels == 0 && innermost.size() < slot.innermost.size()) {
      std::memcpy(slot.innermost.data(), innermost.c_str(), innermost.size() + 1);
      slot.levels = made_.size();
      return;
    }
}

void OutputFolder::remove_empty() const {
  if (made_.empty()) return;
  for (const fs::path& folder : made_) rmdir(folder.c_str());  // refuses one that is not empty
  const std::lock_guard lock(making);
  for (Made& slot : made_folders)
    if (slot.levels > 0 && made_.front() == slot.innermost.data()) slot.levels = 0;
}

OutputFolder::~OutputFolder() {
  remove_empty();
}

void remove_empty_output_folders() noexcept {
  for (Made& slot : made_folders)
    // Where not all of them had been made, those outside have.
    for (; slot.levels > 0 && (rmdir(slot.innermost.data()) == 0 || errno == ENOENT); --slot.levels)
      if (char* const last = std::strrchr(slot.innermost.data(), '/')) *last = 0;
}

}  // namespace logdepth::inline runtime_file
