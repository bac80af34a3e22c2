#pragma once

#include <cstdint>
#include <vector>

#include "runtime/file/model.hpp"

namespace logdepth::inline runtime_stream {

/// A partition of the coordinates of the residual stream into segments that the model treats alike:
/// coordinates of one segment stand in the same masks and position codes, and where one of them
/// is read or written by a unit, a value or a score, the others are by some that connect the same
/// segments. It is the coarsest partition with this property, found by refinement.
///
/// Any that respects the masks would be right. This one makes what stands in a segment repeat
/// itself: a code of a position, a state, a product is one segment, and what happens to it depends
/// on few others.
struct Segments {
  struct Place {
    std::uint32_t segment = 0;
    std::uint32_t offset = 0;
  };
  std::vector<Place> place;                             ///< per coordinate
  std::vector<std::vector<std::uint32_t>> coordinates;  ///< per segment, increasing

  std::size_t size() const { return coordinates.size(); }
};
Segments segments_of(const Model& model);

}  // namespace logdepth::inline runtime_stream
