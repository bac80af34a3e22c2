#include "runtime/file/output_folder.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <mutex>
#include <system_error>

#include "logdepth/errors.hpp"

namespace logdepth {

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
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) {
    const std::lock_guard lock(making);
    for (Made& slot : made_folders)
      if (!made_.empty() && slot.levels == 0 &&
          made_.front().native().size() < slot.innermost.size()) {
        std::memcpy(slot.innermost.data(), made_.front().c_str(),
                    made_.front().native().size() + 1);
        slot.levels = made_.size();
        break;
      }
    return;
  }
  for (const fs::path& folder : made_) rmdir(folder.c_str());
  throw InputError(path + ": expected the name of a folder that can be made: " + error.message());
}

OutputFolder::~OutputFolder() {
  if (made_.empty()) return;
  {
    const std::lock_guard lock(making);
    for (Made& slot : made_folders)
      if (slot.levels > 0 && made_.front() == slot.innermost.data()) slot.levels = 0;
  }
  for (const fs::path& folder : made_) rmdir(folder.c_str());  // refuses one that is not empty
}

void remove_empty_output_folders() noexcept {
  for (Made& slot : made_folders)
    for (; slot.levels > 0 && rmdir(slot.innermost.data()) == 0; --slot.levels)
      if (char* const last = std::strrchr(slot.innermost.data(), '/')) *last = 0;
}

}  // namespace logdepth
