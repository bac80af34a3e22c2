#include "runtime/file/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include "logdepth/errors.hpp"

namespace logdepth {

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "logdepth-XXXXXX").string()) {
  if (!mkdtemp(path_.data())) throw InputError("no temporary folder can be made in " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace logdepth
