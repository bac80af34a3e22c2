#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace logdepth::inline runtime_file {

/// Where a head stands in a weights file: the layer of the file, and the head within it.
struct HeadPlace {
  std::size_t layer = 0, head = 0;
  auto operator<=>(const HeadPlace&) const = default;
};

/// "layer 1 of the file, head 0": for people; places are compared as values.
std::string describe(const HeadPlace& place);
std::vector<std::string> descriptions(const std::vector<HeadPlace>& places);

}  // namespace logdepth::inline runtime_file
