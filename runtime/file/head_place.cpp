#include "runtime/file/head_place.hpp"

namespace logdepth {

std::string describe(const HeadPlace& place) {
  return "layer " + std::to_string(place.layer) + " of the file, head " +
         std::to_string(place.head);
}

std::vector<std::string> descriptions(const std::vector<HeadPlace>& places) {
  std::vector<std::string> texts;
  for (const HeadPlace& place : places) texts.push_back(describe(place));
  return texts;
}

}  // namespace logdepth
