#include "runtime/file/output_folder.hpp"

#include <unistd.h>

#include <system_error>

#include "logdepth/errors.hpp"

namespace logdepth {

namespace fs = std::filesystem;

OutputFolder::OutputFolder(const std::string& path) {
  std::error_code error;
  for (fs::path at = fs::absolute(path).lexically_normal(); !fs::exists(at, error);
       at = at.parent_path())
    if (at.has_filename()) made_.push_back(at);
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error) return;
  for (const fs::path& folder : made_) rmdir(folder.c_str());
  throw InputError(path + ": expected the name of a folder that can be made: " + error.message());
}

OutputFolder::~OutputFolder() {
  for (const fs::path& folder : made_) rmdir(folder.c_str());  // refuses one that is not empty
}

}  // namespace logdepth
