#pragma once

#include "library/exports/float_bounds.hpp"
#include "library/exports/network.hpp"
#include "runtime/file/model.hpp"

namespace logdepth::exports {

/// Temperatures are those of the network if it is not hard. Its tolerances are not read: hard heads
/// are taken to select the largest score. Errors: NotShown; SizeLimit.
FloatBounds float_bounds(const Model& model, const Network& network);

}  // namespace logdepth::exports
