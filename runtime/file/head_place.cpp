#include "runtime/file/head_place.hpp"

#include <fmt/core.h>

namespace logdepth::inline runtime_file {

std::string describe(const HeadPlace& place) {
  return fmt::format("layer {} of the file, head {}", place.layer, place.head);
}

std::vector<std::string> descriptions(const std::vector<HeadPlace>& places) {
  std::vector<std::string> texts;
  for (const HeadPlace& place : places) texts.push_back(describe(place));
  return texts;
}

}  // namespace logdepth::inline runtime_file
