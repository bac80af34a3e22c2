#include "tests/support/places.hpp"

namespace logdepth::support {

const std::string& source_dir() {
  static const std::string place = LOGDEPTH_SOURCE_DIR;
  return place;
}
const std::string& build_dir() {
  static const std::string place = LOGDEPTH_BUILD_DIR;
  return place;
}
const std::string& program() {
  static const std::string place = LOGDEPTH_BINARY;
  return place;
}
const std::string& python() {
  static const std::string place = LOGDEPTH_PYTHON;
  return place;
}
std::string preloaded(const std::string& name) {
  return LOGDEPTH_PRELOAD "/lib" + name + ".so";
}
bool sanitized() {
  return LOGDEPTH_SANITIZED;
}

}  // namespace logdepth::support
