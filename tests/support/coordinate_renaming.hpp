#pragma once

#include <optional>

#include "runtime/file/model.hpp"

namespace logdepth::support {

/// `moved` written in the coordinates of `original`, when the index of cells of each says the same
/// cells of the same sizes and puts every component at a coordinate of its own; else absent.
std::optional<Model> in_coordinates_of(const Model& original, const Model& moved);

}  // namespace logdepth::support
